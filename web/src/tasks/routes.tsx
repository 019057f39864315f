import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/tasks", element: screen(async () => (await import("./BoardPage")).BoardPage) },
];

import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/", element: screen(async () => (await import("./Dashboard")).Dashboard) },
];

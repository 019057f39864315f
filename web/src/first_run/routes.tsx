import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/welcome", element: screen(async () => (await import("./Welcome")).Welcome) },
];

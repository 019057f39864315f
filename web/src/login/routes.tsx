import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/login", element: screen(async () => (await import("./Login")).Login) },
  { path: "/register", element: screen(async () => (await import("./Register")).Register) },
];

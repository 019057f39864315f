import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/team", element: screen(async () => (await import("./Team")).Team) },
];

import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/reports", element: screen(async () => (await import("./Reports")).Reports) },
];

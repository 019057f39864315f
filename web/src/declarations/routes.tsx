import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/tax", element: screen(async () => (await import("./Taxes")).Taxes) },
  {
    path: "/tax/:id",
    element: screen(async () => (await import("./DeclarationScreen")).DeclarationScreen),
  },
];

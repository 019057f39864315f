import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/payables", element: screen(async () => (await import("./PayableList")).PayableList) },
  { path: "/payables/new", element: screen(async () => (await import("./NewPayable")).NewPayable) },
  { path: "/payables/:id", element: screen(async () => (await import("./PayablePage")).PayablePage) },
];

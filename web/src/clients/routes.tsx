import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/clients", element: screen(async () => (await import("./ClientList")).ClientList) },
  { path: "/clients/:id", element: screen(async () => (await import("./ClientCard")).ClientCard) },
];

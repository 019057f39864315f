import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/vendors", element: screen(async () => (await import("./VendorList")).VendorList) },
  { path: "/vendors/:id", element: screen(async () => (await import("./VendorPage")).VendorPage) },
];

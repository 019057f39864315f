import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/einvoice", element: screen(async () => (await import("./EInvoicing")).EInvoicing) },
];

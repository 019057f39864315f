import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/catalog", element: screen(async () => (await import("./CatalogList")).CatalogList) },
  { path: "/catalog/new", element: screen(async () => (await import("./ItemPage")).NewItemPage) },
  {
    path: "/catalog/import",
    element: screen(async () => (await import("./invoice_import/ImportPage")).ImportPage),
  },
  {
    path: "/catalog/stock-taking",
    element: screen(async () => (await import("./stock_taking/StockTaking")).StockTaking),
  },
  { path: "/catalog/:id", element: screen(async () => (await import("./ItemPage")).ItemPage) },
];

import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  {
    path: "/invoices",
    element: screen(async () => (await import("./InvoiceList")).InvoiceList),
  },
  {
    path: "/invoices/new",
    element: screen(async () => (await import("./editor/NewInvoice")).NewInvoice),
  },
  {
    path: "/invoices/:id",
    element: screen(async () => (await import("./view/InvoicePage")).InvoicePage),
  },
  {
    path: "/invoices/:id/edit",
    element: screen(async () => (await import("./editor/EditInvoice")).EditInvoice),
  },
];

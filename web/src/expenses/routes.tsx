import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/expenses", element: screen(async () => (await import("./ExpenseList")).ExpenseList) },
  { path: "/expenses/new", element: screen(async () => (await import("./NewExpense")).NewExpense) },
  { path: "/expenses/inbox", element: screen(async () => (await import("./inbox/Inbox")).Inbox) },
  { path: "/expenses/:id", element: screen(async () => (await import("./ExpensePage")).ExpensePage) },
];

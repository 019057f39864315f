import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/till", element: screen(async () => (await import("./TillPage")).TillPage) },
  { path: "/till/history", element: screen(async () => (await import("./HistoryPage")).HistoryPage) },
  { path: "/till/:id", element: screen(async () => (await import("./RegisterPage")).RegisterPage) },
];

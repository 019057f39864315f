import { Navigate, type RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/settings", element: <Navigate to="/settings/company" replace /> },
  { path: "/settings/:section", element: screen(async () => (await import("./Settings")).Settings) },
];

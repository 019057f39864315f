import type { RouteObject } from "react-router";
import { screen } from "../app/screen";

export const routes: RouteObject[] = [
  { path: "/approvals", element: screen(async () => (await import("./Inbox")).Inbox) },
  { path: "/approve/:id", element: screen(async () => (await import("./ApprovePage")).ApprovePage) },
];

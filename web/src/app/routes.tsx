import type { RouteObject } from "react-router";
import { routes as approvals } from "../approvals/routes";
import { routes as cashRegister } from "../cash_register/routes";
import { routes as catalog } from "../catalog/routes";
import { routes as clients } from "../clients/routes";
import { routes as dashboard } from "../dashboard/routes";
import { routes as declarations } from "../declarations/routes";
import { routes as einvoice } from "../einvoice/routes";
import { routes as expenses } from "../expenses/routes";
import { routes as firstRun } from "../first_run/routes";
import { routes as invoices } from "../invoices/routes";
import { routes as login } from "../login/routes";
import { routes as reports } from "../reports/routes";
import { routes as settings } from "../settings/routes";
import { routes as supplierInvoices } from "../supplier_invoices/routes";
import { routes as tasks } from "../tasks/routes";
import { routes as teams } from "../teams/routes";
import { routes as vendors } from "../vendors/routes";
import { NotFound } from "./lost";
import { Alone, Shell } from "./Shell";

/** Every screen by its address. Each feature lists its own; all but the shell is loaded when it is asked for. */
export const routes: RouteObject[] = [
  { element: <Alone />, children: login },
  {
    element: <Shell />,
    children: [
      ...dashboard,
      ...approvals,
      ...firstRun,
      ...invoices,
      ...clients,
      ...expenses,
      ...vendors,
      ...supplierInvoices,
      ...catalog,
      ...tasks,
      ...cashRegister,
      ...declarations,
      ...einvoice,
      ...reports,
      ...teams,
      ...settings,
      { path: "*", element: <NotFound /> },
    ],
  },
];

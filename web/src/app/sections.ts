import type { IconName } from "../ui/Icon";
import type { AppText } from "./texts";

export interface Section {
  path: string;
  text: AppText;
  icon: IconName;
  /** Permission without which the section is not offered. */
  permission: string;
  /** Beside it stands how much of it waits for the user. */
  isCounted?: boolean;
}

export interface Group {
  text: AppText | null;
  sections: readonly Section[];
}

/** The sections as the navigation and the palette show them. */
export const GROUPS: readonly Group[] = [
  {
    text: null,
    sections: [
      { path: "/", text: "dashboard", icon: "home", permission: "team:read" },
      { path: "/approvals", text: "approvals", icon: "stamp", permission: "approvals:read", isCounted: true },
    ],
  },
  {
    text: "sell",
    sections: [
      { path: "/invoices", text: "invoices", icon: "invoice", permission: "invoices:read" },
      { path: "/clients", text: "clients", icon: "person", permission: "clients:read" },
      { path: "/till", text: "till", icon: "shop", permission: "cash-register:use" },
      { path: "/catalog", text: "catalog", icon: "box", permission: "catalog:read" },
    ],
  },
  {
    text: "buy",
    sections: [
      { path: "/expenses", text: "expenses", icon: "receipt", permission: "expenses:read" },
      { path: "/payables", text: "payables", icon: "card", permission: "supplier-invoices:read" },
      { path: "/vendors", text: "vendors", icon: "truck", permission: "vendors:read" },
    ],
  },
  {
    text: "manage",
    sections: [
      { path: "/tax", text: "tax", icon: "tax", permission: "declarations:read" },
      { path: "/einvoice", text: "einvoice", icon: "shield", permission: "einvoice:read" },
      { path: "/reports", text: "reports", icon: "chart", permission: "reports:read" },
      { path: "/tasks", text: "tasks", icon: "board", permission: "tasks:read" },
      { path: "/team", text: "team", icon: "people", permission: "team:read" },
      { path: "/settings", text: "settings", icon: "settings", permission: "team:read" },
    ],
  },
];

import type { Schemas } from "../api/client";
import { daysLater } from "../texts/formats";

export interface Examples {
  clients: readonly Schemas["ClientInput"][];
  items: readonly Schemas["ItemInput"][];
  /** Drafts, each for the client at its place in `clients`. */
  invoices: readonly { of: number; body: Schemas["InvoiceInput"] }[];
  expenses: readonly Schemas["ExpenseInput"][];
  tasks: readonly Schemas["TaskInput"][];
}

const NOTE = "Ejemplo";

const CLIENTS: readonly Schemas["ClientInput"][] = [
  {
    name: "Panadería La Espiga (ejemplo)",
    city: "Valencia",
    province: "Valencia",
    postalCode: "46001",
    notes: NOTE,
  },
  {
    name: "Talleres Ruiz (ejemplo)",
    city: "Getafe",
    province: "Madrid",
    postalCode: "28901",
    notes: NOTE,
  },
  { name: "Estudio Mar (ejemplo)", city: "Cádiz", province: "Cádiz", postalCode: "11001", notes: NOTE },
];

const ITEMS: readonly Schemas["ItemInput"][] = [
  { name: "Hora de diseño (ejemplo)", type: "service", unitPrice: 45, taxRate: 21, category: "Ejemplos" },
  {
    name: "Mantenimiento web (ejemplo)",
    type: "service",
    unitPrice: 90,
    taxRate: 21,
    category: "Ejemplos",
  },
  {
    name: "Libreta A5 (ejemplo)",
    unitPrice: 6.5,
    taxRate: 21,
    stock: 24,
    lowStockThreshold: 5,
    category: "Ejemplos",
  },
  {
    name: "Póster (ejemplo)",
    unitPrice: 18,
    taxRate: 21,
    stock: 3,
    lowStockThreshold: 5,
    category: "Ejemplos",
  },
];

const INVOICES: Examples["invoices"] = [
  {
    of: 0,
    body: {
      items: [{ description: "Diseño de escaparate", quantity: 12, unitPrice: 45, taxRate: 21 }],
      notes: NOTE,
    },
  },
  {
    of: 1,
    body: {
      items: [{ description: "Mantenimiento web", quantity: 1, unitPrice: 90, taxRate: 21 }],
      notes: NOTE,
    },
  },
  {
    of: 2,
    body: { items: [{ description: "Carteles", quantity: 20, unitPrice: 18, taxRate: 21 }], notes: NOTE },
  },
];

/** A small business as one would find it on a working day: clients, catalog, drafts, expenses, tasks. */
export function examples(today: string): Examples {
  return {
    clients: CLIENTS,
    items: ITEMS,
    invoices: INVOICES,
    expenses: [
      {
        description: "Papelería (ejemplo)",
        amount: 24.2,
        taxRate: 21,
        date: daysLater(today, -3),
        vendor: "Papelería Sol",
      },
      {
        description: "Internet (ejemplo)",
        amount: 36.3,
        taxRate: 21,
        date: daysLater(today, -9),
        vendor: "Fibra Norte",
      },
      {
        description: "Tren a Madrid (ejemplo)",
        amount: 55,
        taxRate: 10,
        date: daysLater(today, -15),
        vendor: "Ferrocarriles",
      },
    ],
    tasks: [
      { title: "Llamar a Talleres Ruiz (ejemplo)", priority: "high", dueDate: daysLater(today, 1) },
      { title: "Revisar los gastos del mes (ejemplo)", dueDate: daysLater(today, 5) },
    ],
  };
}

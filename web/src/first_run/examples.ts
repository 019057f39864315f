import type { Schemas } from "../api/client";
import { daysLater } from "../texts/formats";

/** A draft for the client at its place in `clients`; in the simulation it may be issued and paid. */
export interface ExampleInvoice {
  of: number;
  body: Schemas["InvoiceInput"];
  issued: boolean;
  paidOn: string | null;
}

export interface Examples {
  clients: readonly Schemas["ClientInput"][];
  items: readonly Schemas["ItemInput"][];
  invoices: readonly ExampleInvoice[];
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

/** Identifiers with a right check digit whose first figures no province ever had: nobody's. */
const TAX_IDS = ["B00000018", "B00000026", "B00000034"];

const WORK = [
  { of: 0, item: { description: "Diseño de escaparate", quantity: 12, unitPrice: 45, taxRate: 21 } },
  { of: 1, item: { description: "Mantenimiento web", quantity: 1, unitPrice: 90, taxRate: 21 } },
  { of: 2, item: { description: "Carteles", quantity: 20, unitPrice: 18, taxRate: 21 } },
  { of: 1, item: { description: "Rótulo del taller", quantity: 1, unitPrice: 240, taxRate: 21 } },
] as const;

/** Days from today on which each was issued and falls due, and whether it is paid: one overdue, one paid, one owed. */
const ISSUED = [
  { issued: -45, due: -15, isPaid: false },
  { issued: -20, due: 10, isPaid: true },
  { issued: -3, due: 27, isPaid: false },
];

function invoices(today: string, isIssued: boolean): ExampleInvoice[] {
  return WORK.map(({ of, item }, place) => {
    const plan = isIssued ? ISSUED[place] : undefined;
    const dates = plan && { issueDate: daysLater(today, plan.issued), dueDate: daysLater(today, plan.due) };
    return {
      of,
      body: { items: [item], notes: NOTE, ...dates },
      issued: plan !== undefined,
      paidOn: plan?.isPaid ? today : null,
    };
  });
}

/**
 * A small business as one would find it on a working day: clients, catalog, invoices, expenses, tasks.
 *
 * `isIssued` is for the simulation: invoices are to be issued there, so clients have what a full invoice needs.
 */
export function examples(today: string, isIssued: boolean): Examples {
  return {
    clients: isIssued
      ? CLIENTS.map((client, place) => ({ ...client, taxId: TAX_IDS[place] ?? null }))
      : CLIENTS,
    items: ITEMS,
    invoices: invoices(today, isIssued),
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

import type { Schemas } from "../api/client";
import type { Country } from "../countries/country";
import { taxesOn, type Offer } from "../countries/taxes";
import type { Say } from "../texts/define";
import { daysLater } from "../texts/formats";
import type { FirstRunText } from "./texts";

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

/** Where they are made: the country's offer, the words of the interface, and whether invoices are to be issued. */
export interface Wanted {
  offer: Offer;
  say: Say<FirstRunText>;
  /** Only in the simulation: a real number is never spent on an example. */
  isIssued: boolean;
}

/** The country's invented clients, with the tax ids that full invoices need; where it has none, three without address. */
function clients({ exampleClients }: Country, { say, isIssued }: Wanted): Schemas["ClientInput"][] {
  const known: Schemas["ClientInput"][] =
    exampleClients.length > 0
      ? exampleClients
      : [1, 2, 3].map((number) => ({ name: say("exampleClient", { number }) }));
  return known.map((client) => ({
    ...client,
    name: say("example", { name: client.name }),
    taxId: (isIssued && client.taxId) || null,
    notes: say("exampleNote"),
  }));
}

function items(taxRate: number, say: Say<FirstRunText>): Schemas["ItemInput"][] {
  const named = (key: FirstRunText) => ({
    name: say("example", { name: say(key) }),
    category: say("exampleCategory"),
    taxRate,
  });
  return [
    { ...named("exampleDesign"), type: "service", unitPrice: 45 },
    { ...named("exampleUpkeep"), type: "service", unitPrice: 90 },
    { ...named("exampleNotebook"), unitPrice: 6.5, stock: 24, lowStockThreshold: 5 },
    { ...named("examplePoster"), unitPrice: 18, stock: 3, lowStockThreshold: 5 },
  ];
}

const WORK = [
  { of: 0, description: "exampleWindow", quantity: 12, unitPrice: 45 },
  { of: 1, description: "exampleUpkeep", quantity: 1, unitPrice: 90 },
  { of: 2, description: "examplePosters", quantity: 20, unitPrice: 18 },
  { of: 1, description: "exampleSign", quantity: 1, unitPrice: 240 },
] as const;

/** Days from today on which each was issued and falls due, and whether it is paid: one overdue, one paid, one owed. */
const ISSUED = [
  { issued: -45, due: -15, isPaid: false },
  { issued: -20, due: 10, isPaid: true },
  { issued: -3, due: 27, isPaid: false },
];

function invoices(taxRate: number, { offer: { today }, say, isIssued }: Wanted): ExampleInvoice[] {
  return WORK.map(({ of, description, quantity, unitPrice }, place) => {
    const plan = isIssued ? ISSUED[place] : undefined;
    const dates = plan && { issueDate: daysLater(today, plan.issued), dueDate: daysLater(today, plan.due) };
    const item = { description: say(description), quantity, unitPrice, taxRate };
    return {
      of,
      body: { items: [item], notes: say("exampleNote"), ...dates },
      issued: plan !== undefined,
      paidOn: plan?.isPaid ? today : null,
    };
  });
}

const EXPENSES = [
  {
    description: "exampleStationery",
    vendor: "exampleStationer",
    amount: 24.2,
    isReduced: false,
    daysAgo: 3,
  },
  { description: "exampleInternet", vendor: "exampleProvider", amount: 36.3, isReduced: false, daysAgo: 9 },
  { description: "exampleTrain", vendor: "exampleRailway", amount: 55, isReduced: true, daysAgo: 15 },
] as const;

/** A small business as one would find it on a working day, at the country's general rate and the one after it. */
export function examples(wanted: Wanted): Examples {
  const { offer, say } = wanted;
  const { country, today } = offer;
  const rates = taxesOn(country, today).rates.map(({ value }) => Number(value));
  const [general = 0, reduced = general] = rates;
  const invented = clients(country, wanted);
  const called = invented[1] ?? invented[0];
  const named = (name: string) => say("example", { name });
  return {
    clients: invented,
    items: items(general, say),
    invoices: invoices(general, wanted).map((invoice) => ({ ...invoice, of: invoice.of % invented.length })),
    expenses: EXPENSES.map(({ description, vendor, amount, isReduced, daysAgo }) => ({
      description: named(say(description)),
      vendor: say(vendor),
      amount,
      taxRate: isReduced ? reduced : general,
      date: daysLater(today, -daysAgo),
    })),
    tasks: [
      {
        title: say("exampleCall", { name: called?.name ?? "" }),
        priority: "high",
        dueDate: daysLater(today, 1),
      },
      { title: named(say("exampleReview")), dueDate: daysLater(today, 5) },
    ],
  };
}

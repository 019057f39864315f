import { ifReadable } from "../money/exact";
import { totalsOf, type Totals } from "../money/totals";
import type { PayableInput } from "./queries";

export interface LineForm {
  /** Tells lines apart while they are moved and removed. */
  key: string;
  description: string;
  quantity: string;
  unitPrice: string;
  taxRate: string;
}

/** A supplier invoice as it is typed: decimal text for figures, empty text for what is not there. */
export interface PayableForm {
  vendor: string;
  vendorId: string | null;
  invoiceNumber: string;
  invoiceDate: string;
  dueDate: string;
  lines: readonly LineForm[];
  retentionRate: string;
  category: string;
  reverseCharge: boolean;
  intraEu: NonNullable<PayableInput["intraEu"]>;
  investmentGood: boolean;
  usefulLifeYears: string;
  deductiblePercent: string;
  notes: string;
}

export function emptyLine(taxRate: string): LineForm {
  return { key: crypto.randomUUID(), description: "", quantity: "1", unitPrice: "", taxRate };
}

/** `taxRate` is the usual one, as decimal text; empty where none is known. */
export function emptyPayable(date: string, taxRate: string): PayableForm {
  return {
    vendor: "",
    vendorId: null,
    invoiceNumber: "",
    invoiceDate: date,
    dueDate: "",
    lines: [emptyLine(taxRate)],
    retentionRate: "",
    category: "",
    reverseCharge: false,
    intraEu: "none",
    investmentGood: false,
    usefulLifeYears: "",
    deductiblePercent: "",
    notes: "",
  };
}

/** Totals while typing, by the policy of the server; null while a figure is missing or cannot be read. */
export function typedTotals(form: PayableForm): Totals | null {
  const lines = form.lines.filter((line) => line.unitPrice !== "" && line.quantity !== "");
  if (lines.length === 0) return null;
  return ifReadable(() =>
    totalsOf({
      lines: lines.map(({ quantity, unitPrice, taxRate }) => ({
        quantity,
        unitPrice,
        taxRate: taxRate || "0",
      })),
      retentionRate: form.retentionRate || "0",
      pricesIncludeTax: false,
    }),
  );
}

const orNull = (value: string): string | null => value.trim() || null;
const figure = (value: string): number | null => (value === "" ? null : Number(value));
/** A figure that the server asks for: where it is empty, null is sent and refused by the field's name, never zero. */
const needed = (value: string): number => figure(value) as number;

export function requestOf(form: PayableForm): PayableInput {
  return {
    // Null where none is chosen: the server refuses it by the field's name.
    vendorId: form.vendorId as string,
    invoiceNumber: orNull(form.invoiceNumber),
    invoiceDate: form.invoiceDate,
    dueDate: orNull(form.dueDate),
    items: form.lines.map((line) => ({
      description: line.description.trim(),
      quantity: needed(line.quantity),
      unitPrice: needed(line.unitPrice),
      taxRate: figure(line.taxRate),
    })),
    retentionRate: figure(form.retentionRate),
    category: orNull(form.category),
    reverseCharge: form.reverseCharge,
    intraEu: form.intraEu,
    investmentGood: form.investmentGood,
    usefulLifeYears: figure(form.usefulLifeYears),
    deductiblePercent: figure(form.deductiblePercent),
    notes: orNull(form.notes),
  };
}

import { fieldAmount } from "../money/exact";
import type { Expense, ExpenseInput } from "./queries";

/** An expense as it is typed: decimal text for figures, empty text for what is not there. */
export interface ExpenseForm {
  description: string;
  amount: string;
  date: string;
  vendor: string;
  vendorId: string | null;
  vendorTaxId: string;
  invoiceNumber: string;
  docType: NonNullable<ExpenseInput["docType"]>;
  category: string;
  taxRate: string;
  taxAmount: string;
  retentionRate: string;
  /** Empty: the category tells, or nothing is withheld. */
  retentionKind: string;
  deductible: boolean;
  deductiblePercent: string;
  incomeTaxPercent: string;
  investmentGood: boolean;
  usefulLifeYears: string;
  reverseCharge: boolean;
  intraEu: NonNullable<ExpenseInput["intraEu"]>;
  paymentMethod: string;
  status: NonNullable<ExpenseInput["status"]>;
  notes: string;
}

/** `taxRate` is the usual one, as decimal text; empty where none is known. */
export function emptyExpense(date: string, taxRate: string): ExpenseForm {
  return {
    description: "",
    amount: "",
    date,
    vendor: "",
    vendorId: null,
    vendorTaxId: "",
    invoiceNumber: "",
    docType: "simplified",
    category: "",
    taxRate,
    taxAmount: "",
    retentionRate: "",
    retentionKind: "",
    deductible: true,
    deductiblePercent: "",
    incomeTaxPercent: "",
    investmentGood: false,
    usefulLifeYears: "",
    reverseCharge: false,
    intraEu: "none",
    paymentMethod: "",
    status: "paid",
    notes: "",
  };
}

const text = (value: string | number | null): string => (value === null ? "" : String(value));

export function formOf(expense: Expense): ExpenseForm {
  return {
    description: expense.description,
    amount: fieldAmount(expense.amount),
    date: expense.date,
    vendor: text(expense.vendor),
    vendorId: expense.vendorId,
    vendorTaxId: text(expense.vendorTaxId),
    invoiceNumber: text(expense.invoiceNumber),
    docType: expense.docType,
    category: expense.category,
    taxRate: text(expense.taxRate),
    taxAmount: fieldAmount(expense.taxAmount),
    retentionRate: expense.retentionRate === 0 ? "" : text(expense.retentionRate),
    retentionKind: text(expense.retentionKind),
    deductible: expense.deductible,
    deductiblePercent: text(expense.deductiblePercent),
    incomeTaxPercent: text(expense.incomeTaxPercent),
    investmentGood: expense.investmentGood,
    usefulLifeYears: text(expense.usefulLifeYears),
    reverseCharge: expense.reverseCharge,
    intraEu: expense.intraEu,
    paymentMethod: text(expense.paymentMethod),
    status: expense.status,
    notes: text(expense.notes),
  };
}

const orNull = (value: string): string | null => value.trim() || null;
const figure = (value: string): number | null => (value === "" ? null : Number(value));

/** A figure that the server asks for: where it is empty, null is sent and refused by the field's name, never zero. */
const needed = (value: string): number => figure(value) as number;

/** The request that a form makes; what is empty is left to the server's defaults. */
export function requestOf(form: ExpenseForm): ExpenseInput {
  return {
    description: form.description.trim(),
    amount: needed(form.amount),
    date: form.date,
    vendor: orNull(form.vendor),
    vendorId: form.vendorId,
    vendorTaxId: orNull(form.vendorTaxId),
    invoiceNumber: orNull(form.invoiceNumber),
    docType: form.docType,
    category: orNull(form.category),
    taxRate: figure(form.taxRate),
    taxAmount: figure(form.taxAmount),
    retentionRate: figure(form.retentionRate),
    retentionKind: orNull(form.retentionKind) as ExpenseInput["retentionKind"],
    deductible: form.deductible,
    deductiblePercent: figure(form.deductiblePercent),
    incomeTaxPercent: figure(form.incomeTaxPercent),
    investmentGood: form.investmentGood,
    usefulLifeYears: figure(form.usefulLifeYears),
    reverseCharge: form.reverseCharge,
    intraEu: form.intraEu,
    paymentMethod: orNull(form.paymentMethod),
    status: form.status,
    notes: orNull(form.notes),
  };
}

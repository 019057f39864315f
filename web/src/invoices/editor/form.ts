import type { Schemas } from "../../api/client";
import { taxesOn, type Offer, type Taxes } from "../../countries/taxes";
import { isDecimal } from "../../money/exact";
import { daysBetween, daysLater } from "../../texts/formats";
import type { MoneyDraft, MoneyLine } from "../../money/totals";
import type { DocType, Invoice, InvoiceItem } from "../queries";

export type ItemInput = Schemas["InvoiceItemInput"];

/** What a line may carry that the editor does not show: it goes back as it came. */
type Unshown = Pick<
  ItemInput,
  "unit" | "regimeKey" | "tax" | "costBase" | "purchaseCost" | "notSubjectReason" | "variantIndex"
>;

/** A line as it is typed. Numbers are decimal text. */
export interface LineForm {
  key: string;
  description: string;
  quantity: string;
  unitPrice: string;
  discount: string;
  /** A rate as `21`, or a category as `exempt`. */
  vat: string;
  /** Of an exempt line, as `E1`. */
  exemptionCode: string;
  surchargeRate: string | null;
  catalogItemId: string | null;
  rest: Unshown;
}

export interface ClientForm {
  id: string | null;
  name: string;
  taxId: string;
  country: string;
  email: string;
  address: string;
  postalCode: string;
  city: string;
  province: string;
  /** The client is under the equivalence surcharge. */
  bearsSurcharge: boolean;
}

/** By the client, on every line, or on none. */
export type Surcharge = "client" | "yes" | "no";

export interface InvoiceForm {
  docType: DocType;
  client: ClientForm;
  /** The client was changed here, so that a stored draft takes it over. */
  isClientChanged: boolean;
  lines: LineForm[];
  retentionRate: string;
  surcharge: Surcharge;
  pricesIncludeTax: boolean;
  /** Empty: the day on which it is issued. */
  issueDate: string;
  operationDate: string;
  /** Empty: by the term, from the issue date. */
  dueDate: string;
  purchaseOrder: string;
  buyerReference: string;
  /** A country's code or free text. */
  placeOfSupply: string;
  notes: string;
  terms: string;
}

/** The day whose taxes the invoice bears. */
export const taxDay = (form: InvoiceForm, { today }: Offer) => form.operationDate || form.issueDate || today;

/** The invoice of another day: the due date keeps its distance from the day `before`, be it the term or chosen. */
export function withIssueDate(form: InvoiceForm, issueDate: string, before: string): InvoiceForm {
  if ([issueDate, before, form.dueDate].includes("")) return { ...form, issueDate };
  return { ...form, issueDate, dueDate: daysLater(issueDate, daysBetween(before, form.dueDate)) };
}

export const CATEGORIES = [
  "exempt",
  "not_subject",
  "reverse_charge",
  "export",
  "intra_eu_goods",
  "intra_eu_services",
] as const;

export const isCategory = (vat: string) => (CATEGORIES as readonly string[]).includes(vat);

export const NO_CLIENT: ClientForm = {
  id: null,
  name: "",
  taxId: "",
  country: "",
  email: "",
  address: "",
  postalCode: "",
  city: "",
  province: "",
  bearsSurcharge: false,
};

export function newLine(vat: string): LineForm {
  return {
    key: crypto.randomUUID(),
    description: "",
    quantity: "1",
    unitPrice: "",
    discount: "",
    vat,
    exemptionCode: "",
    surchargeRate: null,
    catalogItemId: null,
    rest: {},
  };
}

export interface Defaults {
  taxRate: string;
  retentionRate: string;
}

export function emptyForm(defaults: Defaults): InvoiceForm {
  return {
    docType: "invoice",
    client: NO_CLIENT,
    isClientChanged: true,
    lines: [newLine(defaults.taxRate)],
    retentionRate: defaults.retentionRate,
    surcharge: "client",
    pricesIncludeTax: false,
    issueDate: "",
    operationDate: "",
    dueDate: "",
    purchaseOrder: "",
    buyerReference: "",
    placeOfSupply: "",
    notes: "",
    terms: "",
  };
}

const shown = (amount: number) => (amount === 0 ? "" : String(amount));

function lineOf(item: InvoiceItem): LineForm {
  const { unit, regimeKey, tax, costBase, purchaseCost, notSubjectReason, variantIndex } = item;
  return {
    key: crypto.randomUUID(),
    description: item.description,
    quantity: String(item.quantity),
    unitPrice: String(item.unitPrice),
    discount: shown(item.discount),
    vat: item.taxCategory === "standard" ? String(item.taxRate) : item.taxCategory,
    exemptionCode: item.exemptionCode ?? "",
    surchargeRate: item.surchargeByDefault || item.surchargeRate === null ? null : String(item.surchargeRate),
    catalogItemId: item.catalogItemId,
    rest: { unit, regimeKey, tax, costBase, purchaseCost, notSubjectReason, variantIndex },
  };
}

function surchargeOf(items: readonly InvoiceItem[]): Surcharge {
  const stated = items.filter((item) => item.surchargeRate !== null && !item.surchargeByDefault);
  if (stated.length === 0) return "client";
  return stated.some((item) => item.surchargeRate !== 0) ? "yes" : "no";
}

function referencesOf({ purchaseOrder, buyerReference, placeOfSupply }: Invoice) {
  return {
    purchaseOrder: purchaseOrder ?? "",
    buyerReference: buyerReference ?? "",
    placeOfSupply: placeOfSupply ?? "",
  };
}

/** A stored draft as a form. */
export function formOf(invoice: Invoice): InvoiceForm {
  const { client } = invoice;
  return {
    docType: invoice.docType,
    client: {
      id: invoice.clientId,
      name: client.name ?? "",
      taxId: client.taxId ?? "",
      country: client.country,
      email: client.email ?? "",
      address: client.address ?? "",
      postalCode: client.postalCode ?? "",
      city: client.city ?? "",
      province: client.province ?? "",
      bearsSurcharge: invoice.items.some((item) => item.surchargeByDefault),
    },
    isClientChanged: false,
    lines: invoice.items.map(lineOf),
    retentionRate: shown(invoice.retentionRate),
    surcharge: surchargeOf(invoice.items),
    pricesIncludeTax: invoice.pricesIncludeTax,
    issueDate: invoice.issueDateStated ? invoice.issueDate : "",
    operationDate: invoice.operationDate ?? "",
    dueDate: invoice.dueDateStated ? invoice.dueDate : "",
    ...referencesOf(invoice),
    notes: invoice.notes ?? "",
    terms: invoice.terms ?? "",
  };
}

/** A line that nothing was typed into is not sent. */
export const isBlank = (line: LineForm) => line.description.trim() === "" && line.unitPrice === "";

export const sentLines = (form: InvoiceForm) => form.lines.filter((line) => !isBlank(line));

/** The surcharge that goes with a rate, by the rate. */
export type Surcharges = Taxes["surcharges"];

/** Those of the invoice's day. */
export const surchargesOf = (form: InvoiceForm, offer: Offer): Surcharges =>
  taxesOn(offer.country, taxDay(form, offer)).surcharges;

function surchargeRateOf(line: LineForm, choice: Surcharge, surcharges: Surcharges): string | null {
  if (isCategory(line.vat)) return null;
  if (choice === "no") return "0";
  if (choice === "yes") return line.surchargeRate ?? surcharges[line.vat] ?? null;
  return null;
}

function taxOf(vat: string): Pick<ItemInput, "taxRate" | "taxCategory"> {
  if (isCategory(vat)) return { taxCategory: vat as ItemInput["taxCategory"], taxRate: 0 };
  return { taxCategory: "standard", ...(vat === "" ? {} : { taxRate: Number(vat) }) };
}

function itemOf(line: LineForm, choice: Surcharge, surcharges: Surcharges): ItemInput {
  const surchargeRate = surchargeRateOf(line, choice, surcharges);
  return {
    ...line.rest,
    description: line.description.trim(),
    quantity: Number(line.quantity || "1"),
    unitPrice: Number(line.unitPrice || "0"),
    ...(line.discount ? { discount: Number(line.discount) } : {}),
    ...taxOf(line.vat),
    ...(line.vat === "exempt" && line.exemptionCode ? { exemptionCode: line.exemptionCode } : {}),
    ...(surchargeRate === null ? {} : { surchargeRate: Number(surchargeRate) }),
    ...(line.catalogItemId ? { catalogItemId: line.catalogItemId } : {}),
  };
}

type ClientPart = Pick<Schemas["InvoiceInput"], "client" | "clientId">;

function clientOf({ client, docType, isClientChanged }: InvoiceForm): ClientPart {
  if (!isClientChanged) return {};
  if (client.id !== null) return { clientId: client.id };
  if (client.name.trim() === "" && docType === "simplified") return {};
  const text = (value: string) => value.trim() || null;
  return {
    client: {
      name: client.name.trim(),
      taxId: text(client.taxId),
      country: text(client.country),
      email: text(client.email),
      address: text(client.address),
      postalCode: text(client.postalCode),
      city: text(client.city),
      province: text(client.province),
    },
  };
}

export type ChangeInput = Schemas["InvoiceChange"];

/** The body of a change: every field that the editor shows. */
export function changeOf(form: InvoiceForm, surcharges: Surcharges): ChangeInput {
  return {
    ...clientOf(form),
    items: sentLines(form).map((line) => itemOf(line, form.surcharge, surcharges)),
    retentionRate: Number(form.retentionRate || "0"),
    pricesIncludeTax: form.pricesIncludeTax,
    issueDate: form.issueDate || null,
    issueDateStated: form.issueDate !== "",
    operationDate: form.operationDate || null,
    dueDate: form.dueDate || null,
    dueDateStated: form.dueDate !== "",
    purchaseOrder: form.purchaseOrder.trim() || null,
    buyerReference: form.buyerReference.trim() || null,
    placeOfSupply: form.placeOfSupply.trim() || null,
    notes: form.notes || null,
    terms: form.terms || null,
  };
}

export function inputOf(form: InvoiceForm, surcharges: Surcharges): Schemas["InvoiceInput"] {
  return { ...changeOf({ ...form, isClientChanged: true }, surcharges), docType: form.docType };
}

/** Every number of it can be read. */
export function isReadable(form: InvoiceForm): boolean {
  const typed = form.lines.flatMap((line) => [
    line.quantity,
    line.unitPrice,
    line.discount,
    isCategory(line.vat) ? "" : line.vat,
  ]);
  return [...typed, form.retentionRate].every((number) => number === "" || isDecimal(number));
}

/** The server can compute it: it has a client and a line with a text, and every number can be read. */
export function isComputable(form: InvoiceForm): boolean {
  if (!isReadable(form)) return false;
  const lines = sentLines(form);
  const hasClient = form.client.id !== null || form.client.name.trim() !== "" || form.docType !== "invoice";
  return hasClient && lines.length > 0 && lines.every((line) => line.description.trim() !== "");
}

function moneyLine(line: LineForm, form: InvoiceForm, surcharges: Surcharges): MoneyLine {
  const isBorne = form.surcharge === "client" && form.client.bearsSurcharge;
  const takes = isBorne ? "yes" : form.surcharge;
  const category = isCategory(line.vat) ? line.vat : "standard";
  return {
    quantity: line.quantity || "1",
    unitPrice: line.unitPrice || "0",
    discount: line.discount || null,
    taxRate: category === "standard" ? line.vat || "0" : "0",
    taxCategory: category,
    surchargeRate: surchargeRateOf(line, takes, surcharges),
    exemptionCode: line.exemptionCode || null,
    regimeKey: line.rest.regimeKey ?? null,
    notSubjectReason: line.rest.notSubjectReason ?? null,
    tax: line.rest.tax ?? null,
    purchaseCost: line.rest.purchaseCost == null ? null : String(line.rest.purchaseCost),
  };
}

/** What the arithmetic in the browser needs of the form. */
export function moneyDraftOf(form: InvoiceForm, surcharges: Surcharges): MoneyDraft {
  return {
    lines: form.lines.map((line) => moneyLine(line, form, surcharges)),
    retentionRate: form.retentionRate || "0",
    pricesIncludeTax: form.pricesIncludeTax,
  };
}

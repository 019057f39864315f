import type { Schemas } from "../api/client";
import type { Client } from "./queries";

/** A client as a form types it: decimal text for rates, empty text for what is not there. */
export interface ClientForm {
  name: string;
  taxId: string;
  country: string;
  email: string;
  phone: string;
  contactName: string;
  address: string;
  postalCode: string;
  city: string;
  province: string;
  language: string;
  /** Null until somebody says it: the server goes by the tax id. */
  isCompany: boolean | null;
  equivalenceSurcharge: boolean;
  defaultTaxRate: string;
  defaultRetentionRate: string;
  paymentTermDays: string;
  notes: string;
}

export const TEXTS = [
  "taxId",
  "country",
  "email",
  "phone",
  "contactName",
  "address",
  "postalCode",
  "city",
  "province",
] as const;

const NUMBERS = ["defaultTaxRate", "defaultRetentionRate", "paymentTermDays"] as const;

const text = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value);

const NOTHING = {
  name: "",
  taxId: "",
  country: "",
  email: "",
  phone: "",
  contactName: "",
  address: "",
  postalCode: "",
  city: "",
  province: "",
  language: "",
  isCompany: null,
  equivalenceSurcharge: false,
  defaultTaxRate: "",
  defaultRetentionRate: "",
  paymentTermDays: "",
  notes: "",
} satisfies ClientForm;

/** A stored client as a form; without one, the form of a new client. */
export function asForm(client: Client | null): ClientForm {
  if (client === null) return NOTHING;
  const names = ["name", ...TEXTS, "language", ...NUMBERS, "notes"] as const;
  const texts = Object.fromEntries(names.map((name) => [name, text(client[name])]));
  const { isCompany, equivalenceSurcharge } = client;
  return { ...NOTHING, ...texts, isCompany, equivalenceSurcharge };
}

export function asInput(form: ClientForm): Schemas["ClientInput"] {
  const texts = [...TEXTS, "language" as const].map((name) => [name, form[name].trim() || null]);
  const numbers = NUMBERS.map((name) => [name, form[name] === "" ? null : Number(form[name])]);
  return {
    name: form.name.trim(),
    isCompany: form.isCompany,
    equivalenceSurcharge: form.equivalenceSurcharge,
    notes: form.notes || null,
    ...Object.fromEntries(texts),
    ...Object.fromEntries(numbers),
  };
}

/** Provinces by the first two digits of a Spanish postal code. Source: INE, code list of provinces. */
const PROVINCES =
  "Álava,Albacete,Alicante,Almería,Ávila,Badajoz,Illes Balears,Barcelona,Burgos,Cáceres,Cádiz,Castellón,Ciudad Real," +
  "Córdoba,A Coruña,Cuenca,Girona,Granada,Guadalajara,Gipuzkoa,Huelva,Huesca,Jaén,León,Lleida,La Rioja,Lugo,Madrid," +
  "Málaga,Murcia,Navarra,Ourense,Asturias,Palencia,Las Palmas,Pontevedra,Salamanca,Santa Cruz de Tenerife,Cantabria," +
  "Segovia,Sevilla,Soria,Tarragona,Teruel,Toledo,Valencia,Valladolid,Bizkaia,Zamora,Zaragoza,Ceuta,Melilla";

/** `28013` as `Madrid`; null for what is no Spanish postal code. */
export function provinceOf(postalCode: string): string | null {
  if (!/^\d{5}$/.test(postalCode)) return null;
  return PROVINCES.split(",")[Number(postalCode.slice(0, 2)) - 1] ?? null;
}

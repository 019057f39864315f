import { defineTexts, type Texts } from "../texts/define";

const es = {
  creditNote: "Rectificar",
  emit: "Emitir",
  annul: "Anular",
  records: "VERI*FACTU",
  certificate: "Ajustes: Certificado",
  company: "Ajustes: Empresa",
  team: "Equipo",
  invoices: "Facturas",
  clients: "Clientes",
  vendors: "Proveedores",
  catalog: "Catálogo",
  till: "Caja",
  expenses: "Gastos",
  payables: "Por pagar",
  tasks: "Tareas",
  tax: "Impuestos",
  context: "Ajustes: Instrucciones para asistentes",
  keys: "Ajustes: Claves",
  activity: "Ajustes: Actividad",
  attachments: "Adjuntos",
  data: "Ajustes: Mis datos",
  account: "Ajustes: Mi cuenta",
  entrance: "Entrar",
  registration: "Crear la cuenta",
  forgotten: "He olvidado la contraseña",
};

const en: Texts<typeof es> = {
  creditNote: "Correct",
  emit: "Issue",
  annul: "Annul",
  records: "VERI*FACTU",
  certificate: "Settings: Certificate",
  company: "Settings: Company",
  team: "Team",
  invoices: "Invoices",
  clients: "Clients",
  vendors: "Vendors",
  catalog: "Catalog",
  till: "Till",
  expenses: "Expenses",
  payables: "Payables",
  tasks: "Tasks",
  tax: "Taxes",
  context: "Settings: Instructions for assistants",
  keys: "Settings: Keys",
  activity: "Settings: Activity",
  attachments: "Attachments",
  data: "Settings: My data",
  account: "Settings: My account",
  entrance: "Log in",
  registration: "Create the account",
  forgotten: "I have forgotten the password",
};

export type Place = keyof typeof es;
const usePlaceName = defineTexts({ es, en });

/** Where people do what a request does; the first that the path begins with. */
const PLACES: readonly (readonly [string, Place])[] = [
  ["/api/einvoice/credit-note", "creditNote"],
  ["/api/einvoice/emit", "emit"],
  ["/api/einvoice/annul", "annul"],
  ["/api/einvoice/certificate", "certificate"],
  ["/api/einvoice", "records"],
  ["/api/teams/current/members", "team"],
  ["/api/teams/current", "company"],
  ["/api/teams", "team"],
  ["/api/invoices", "invoices"],
  ["/api/clients", "clients"],
  ["/api/vendors", "vendors"],
  ["/api/catalog", "catalog"],
  ["/api/cash-register", "till"],
  ["/api/expenses", "expenses"],
  ["/api/supplier-invoices", "payables"],
  ["/api/tasks", "tasks"],
  ["/api/tax-declarations", "tax"],
  ["/api/context", "context"],
  ["/api/keys", "keys"],
  ["/api/activity", "activity"],
  ["/api/attachments", "attachments"],
  ["/auth/export", "data"],
  ["/auth/verify/resend", "account"],
  ["/auth/password/forgot", "forgotten"],
  ["/auth/register", "registration"],
  ["/auth/login", "entrance"],
];

/** A request as remedies name it: how it is joined to its sentence, its method, path, query and body. */
const REQUEST =
  /(?:\b(con|with|by|through) )?`?\b(?:GET|POST|PUT|PATCH|DELETE) (\/[\w/-]*(?:\{\w+\}[\w/-]*)*)(?:\?[\w=&-]+(?:\.{3})?)?`?(?: ?\{[^{}]*\})?/g;

/** The remedy of a server's answer with screens where it names requests: programs read the same sentences. */
export function forPeople(remedy: string, nameOf: (place: Place) => string): string {
  return remedy.replace(REQUEST, (request, joint: string | undefined, path: string) => {
    const place = PLACES.find(([beginning]) => path.startsWith(beginning))?.[1];
    if (place === undefined) return request;
    const preposition = joint === undefined ? "" : joint === "con" ? "en " : "in ";
    return `${preposition}«${nameOf(place)}»`;
  });
}

export function useRemedy(): (remedy: string) => string {
  const nameOf = usePlaceName();
  return (remedy) => forPeople(remedy, nameOf);
}

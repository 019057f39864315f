/** Where the app shows a record of a proposal; null for a kind that has no screen. */
const PLACES: Readonly<Record<string, (id: string) => string>> = {
  invoice: (id) => `/invoices/${id}`,
  client: (id) => `/clients/${id}`,
  vendor: (id) => `/vendors/${id}`,
  expense: (id) => `/expenses/${id}`,
  supplier_invoice: (id) => `/payables/${id}`,
  catalog_item: (id) => `/catalog/${id}`,
  tax_declaration: (id) => `/tax/${id}`,
  cash_register: (id) => `/till/${id}`,
  task: () => "/tasks",
  team: () => "/settings/company",
  member: () => "/team",
  invitation: () => "/team",
};

export function placeOf({ type, id }: { type: string; id: string }): string | null {
  return PLACES[type]?.(id) ?? null;
}

import { api, take, type Schemas } from "../../api/client";
import { money, percent } from "../../texts/formats";
import type { Match } from "../../ui/Typeahead";

export interface CatalogMatch extends Match {
  unitPrice: string;
  taxRate: string | null;
  unit: string | null;
}

export interface ClientMatch extends Match {
  client: Schemas["Client"];
}

const FEW = 8;

export async function matchingItems(text: string, signal: AbortSignal): Promise<CatalogMatch[]> {
  const query = { limit: FEW, ...(text ? { search: text } : {}) };
  const items = await take(api.GET("/api/catalog", { params: { query }, signal }));
  return items.map((item) => ({
    id: item.id,
    label: item.name,
    detail: [item.sku, money(item.unitPrice), item.taxRate === null ? null : percent(item.taxRate)]
      .filter(Boolean)
      .join(" · "),
    unitPrice: String(item.unitPrice),
    taxRate: item.taxRate === null ? null : String(item.taxRate),
    unit: item.unit,
  }));
}

export async function matchingClients(text: string, signal: AbortSignal): Promise<ClientMatch[]> {
  const query = { limit: FEW, ...(text ? { search: text } : {}) };
  const clients = await take(api.GET("/api/clients", { params: { query }, signal }));
  return clients.map((client) => ({
    id: client.id,
    label: client.name,
    detail: [client.taxId, client.city].filter(Boolean).join(" · "),
    client,
  }));
}

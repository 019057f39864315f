import { useQueryClient } from "@tanstack/react-query";
import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take, type PageOf, type Schemas } from "../api/client";
import { toast } from "../ui/toasts";
import type { CatalogItem } from "./queries";
import { useText } from "./texts";

const LISTS = [["catalog"]] as const;

export interface StockStep {
  id: string;
  delta: number;
  /** Number of the step: pressing twice is two intents, trying again is one. */
  turn: number;
}

/** Puts the item that a change answered with into the lists on the screen. */
function useShownItem() {
  const queries = useQueryClient();
  return (changed: CatalogItem) => {
    queries.setQueriesData<PageOf<CatalogItem>>({ queryKey: ["catalog", "list"] }, (page) =>
      page ? { ...page, items: page.items.map((item) => (item.id === changed.id ? changed : item)) } : page,
    );
  };
}

export function useStockStep() {
  const show = useShownItem();
  return useAction({
    run: ({ id, delta }: StockStep, key) =>
      take(
        api.PATCH("/api/catalog/{id}/stock", {
          params: { path: { id } },
          headers: keyed(key),
          body: { delta },
        }),
      ),
    refreshes: [["overview"]],
    onDone: show,
  });
}

export interface ItemChange {
  body: Schemas["ItemInput"];
  id: string | null;
  version: string;
}

/** Create an item, or change the one with the id as long as it is at the version that was read. */
export function useSaveItem(onDone: (item: CatalogItem) => void) {
  return useAction({
    run: ({ body, id, version }: ItemChange, key) =>
      id === null
        ? take(api.POST("/api/catalog", { headers: keyed(key), body }))
        : take(put(version)("/api/catalog/{id}", { params: { path: { id } }, body })),
    refreshes: LISTS,
    onDone,
  });
}

interface Activation {
  item: CatalogItem;
  isActive: boolean;
}

function useActivationWith(onDone: (activation: Activation) => void) {
  return useAction({
    run: async ({ item, isActive }: Activation) => {
      const params = { path: { id: item.id } };
      if (isActive) await take(put(NO_VERSION)("/api/catalog/{id}", { params, body: { isActive } }));
      else await take(api.DELETE("/api/catalog/{id}", { params }));
    },
    refreshes: LISTS,
    onDone: (_, activation) => onDone(activation),
  });
}

/** Take an item out of the catalog, which can be undone, or back into it. */
export function useActivation() {
  const say = useText();
  const back = ({ item }: Activation) => toast(say("activated", { name: item.name }));
  const restoring = useActivationWith(back);
  return useActivationWith((activation) => {
    const { item, isActive } = activation;
    if (isActive) back(activation);
    else toast(say("deactivated", { name: item.name }), () => restoring.mutate({ item, isActive: true }));
  });
}

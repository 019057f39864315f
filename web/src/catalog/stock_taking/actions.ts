import { keyed, useAction } from "../../api/actions";
import { api, take } from "../../api/client";
import type { Difference } from "./counts";

/** Items that one request adjusts at most. */
const MOST = 200;

type OnWritten = (written: readonly Difference[]) => void;

async function writeItems(differences: readonly Difference[], key: string, onWritten: OnWritten) {
  for (let start = 0; start < differences.length; start += MOST) {
    const part = differences.slice(start, start + MOST);
    const adjustments = part.map(({ itemId, adjustment }) => ({ itemId, adjustment: Number(adjustment) }));
    const headers = keyed(`${key}.${start}`);
    await take(api.POST("/api/catalog/bulk-stock", { body: { adjustments }, headers }));
    onWritten(part);
  }
}

async function writeVariant(difference: Difference, variantIndex: number, key: string) {
  const params = { path: { id: difference.itemId } };
  const body = { variantIndex, adjustment: Number(difference.adjustment) };
  await take(api.PATCH("/api/catalog/{id}/variant-stock", { params, body, headers: keyed(key) }));
}

async function write(differences: readonly Difference[], key: string, onWritten: OnWritten) {
  const ofItems = differences.filter((difference) => difference.variant === null);
  await writeItems(ofItems, key, onWritten);
  for (const difference of differences) {
    if (difference.variant === null) continue;
    await writeVariant(difference, difference.variant, `${key}.${difference.key}`);
    onWritten([difference]);
  }
}

/** Write the differences into the stock; each part that is written is told, so that it is never written twice. */
export function useWriteDifferences(onWritten: OnWritten, onDone: () => void) {
  return useAction({
    run: (differences: readonly Difference[], key) => write(differences, key, onWritten),
    refreshes: [["catalog"], ["overview"]],
    onDone,
  });
}

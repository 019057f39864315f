import { useActivityName } from "../settings/texts";
import type { Proposal } from "./queries";
import { useText } from "./texts";

/** Beginnings of operations' last names, with the verb that a person reads. */
const VERBS = ["create", "update", "delete", "restore", "merge", "assign", "complete"] as const;

/**
 * The effect of a proposal in a person's words. The server names an operation without a sentence of its own by its
 * technical name and the record, as in `clients.create: client Norte`; here it gets a verb and the record's kind.
 */
export function useTitle(): (proposal: Proposal, effect: string) => string {
  const say = useText();
  const nameOf = useActivityName();
  return ({ operation }, effect) => {
    const [, record] = effect.split(`${operation}: `);
    if (record === undefined && !effect.includes(operation)) return effect;
    const last = operation.split(".").at(-1) ?? "";
    const verb = say(`verb_${VERBS.find((known) => last.startsWith(known)) ?? "other"}`);
    const named = describe(record ?? "", (type) => nameOf("entity", type));
    return named === "" ? verb : `${verb}: ${named}`;
  };
}

/** `catalog item Taza` as `Artículo Taza`. */
export function describe(record: string, nameOf: (type: string) => string): string {
  const words = record.trim().split(" ");
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const type = words.slice(0, count).join("_");
    const name = nameOf(type);
    if (name !== type) return [name, ...words.slice(count)].join(" ");
  }
  return record.trim();
}

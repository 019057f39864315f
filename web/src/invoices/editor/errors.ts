import { useMemo } from "react";
import { ProblemError } from "../../api/problem";
import { sentLines, type InvoiceForm } from "./form";

export type LineErrors = Readonly<Record<string, string>>;

const OF_ITEM = /^items\[(\d+)\]\.(\w+)$/;

/** Refusals at the lines they are about: by the line's key, then by the field's name in the interface. */
export function useLineErrors(error: unknown, form: InvoiceForm): Readonly<Record<string, LineErrors>> {
  const order = sentLines(form)
    .map((line) => line.key)
    .join(" ");
  return useMemo(() => {
    const byLine: Record<string, Record<string, string>> = {};
    const problems = error instanceof ProblemError ? error.errors : [];
    const keys = order.split(" ");
    for (const { field, message } of problems) {
      const [, place, name] = OF_ITEM.exec(field) ?? [];
      const key = place === undefined ? undefined : keys[Number(place)];
      if (key && name) byLine[key] = { ...byLine[key], [name]: message };
    }
    return byLine;
  }, [error, order]);
}

export function messageAt(error: unknown, field: string): string | undefined {
  return error instanceof ProblemError ? error.forField(field) : undefined;
}

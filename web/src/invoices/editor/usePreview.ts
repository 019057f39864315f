import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, take } from "../../api/client";
import { ifReadable } from "../../money/exact";
import { totalsOf } from "../../money/totals";
import { usePaused } from "../../ui/paused";
import type { Invoice, InvoiceInput, InvoicePreview } from "../queries";
import { totalsOfInvoice, type ShownTotals } from "../TotalsTable";
import { inputOf, isBlank, isComputable, moneyDraftOf, type InvoiceForm, type Surcharges } from "./form";

const PAUSE = 400;

export interface LiveTotals {
  totals: ShownTotals | null;
  /** Amount of each line by its key. */
  amounts: Readonly<Record<string, string>>;
  warnings: readonly string[];
  error: unknown;
}

interface LocalTotals {
  totals: ShownTotals | null;
  amounts: Record<string, string>;
}

function localTotals(form: InvoiceForm, surcharges: Surcharges): LocalTotals {
  const totals = ifReadable(() => totalsOf(moneyDraftOf(form, surcharges)));
  if (totals === null) return { totals, amounts: {} };
  const amounts = form.lines.map((line, place) => [line.key, isBlank(line) ? "" : totals.lines[place]]);
  return { totals, amounts: Object.fromEntries(amounts) as Record<string, string> };
}

/** The totals as the browser computes them while one types, and as the server does once it has answered to the same. */
export function useLiveTotals(form: InvoiceForm, surcharges: Surcharges, stored?: Invoice): LiveTotals {
  const local = useMemo(() => localTotals(form, surcharges), [form, surcharges]);
  const rectifies = stored?.rectifies ?? null;
  const text = useMemo(
    () => JSON.stringify({ ...inputOf(form, surcharges), ...(rectifies === null ? {} : { rectifies }) }),
    [form, surcharges, rectifies],
  );
  const asked = usePaused(text, PAUSE);
  const preview = useQuery<InvoicePreview>({
    queryKey: ["invoices", "preview", asked],
    queryFn: ({ signal }) =>
      take(api.POST("/api/invoices/preview", { body: JSON.parse(asked) as InvoiceInput, signal })),
    enabled: isComputable(form),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
    gcTime: 30_000,
  });
  const isOfThis = asked === text && preview.data !== undefined && !preview.isPlaceholderData;
  return {
    totals: isOfThis ? totalsOfInvoice(preview.data) : local.totals,
    amounts: local.amounts,
    warnings: isOfThis ? preview.data.warnings : [],
    error: asked === text ? preview.error : null,
  };
}

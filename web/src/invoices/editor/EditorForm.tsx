import { useMemo, type ReactNode } from "react";
import { isNoConnection, ProblemError } from "../../api/problem";
import type { Client } from "../../clients/queries";
import { taxesOn, type Offer } from "../../countries/taxes";
import { Doubts } from "../../ui/Doubts";
import { Notice, ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import type { Invoice } from "../queries";
import { useText } from "../texts";
import { TotalsTable } from "../TotalsTable";
import { ClientPicker } from "./ClientPicker";
import { messageAt, useLineErrors } from "./errors";
import { taxDay, type InvoiceForm } from "./form";
import { Lines, type ChangeForm } from "./Lines";
import { Dates, References, Remarks, Taxes } from "./Terms";
import { useRemedy } from "../../ui/remedies";
import { useLiveTotals } from "./usePreview";

interface Props {
  form: InvoiceForm;
  change: ChangeForm;
  stored?: Invoice | undefined;
  currency: string;
  offer: Offer;
  /** The refusal of the last attempt to save. */
  refused: unknown;
  /** Try again what was refused for want of a connection. */
  onRetry: () => void;
  /** The card of the client was changed here. */
  onClientSaved: (client: Client) => void;
  /** What stands beside the form: the PDF. */
  aside: ReactNode;
}

/** Refusals of the preview come while one types: only at their fields, and as a line above the totals where they have none. */
function PreviewRefusal({ error }: { error: unknown }) {
  const inWords = useRemedy();
  if (!(error instanceof ProblemError) || isNoConnection(error)) return null;
  return (
    <Notice tone="caution" title={<bdi>{error.detail}</bdi>}>
      {error.remedy && <p>{inWords(error.remedy)}</p>}
    </Notice>
  );
}

/** The form of an invoice, with its totals as one types. */
export function EditorForm(props: Props) {
  const { form, change, stored, currency, offer, refused, aside } = props;
  const say = useText();
  const day = taxDay(form, offer);
  const taxes = useMemo(() => taxesOn(offer.country, day), [offer.country, day]);
  const live = useLiveTotals(form, taxes.surcharges, stored);
  const error = refused ?? live.error;
  const lineErrors = useLineErrors(error, form);
  const parts = { form, change, error };
  const isLost = isNoConnection(refused);
  const isNote = form.docType === "credit_note";
  return (
    <div className="editor">
      <div className="stack">
        {isLost && <ProblemNotice error={refused} onRetry={props.onRetry} />}
        {isNote && <Notice title={say("editingNote")} />}
        {!isNote && <ClientPicker {...parts} onClientSaved={props.onClientSaved} />}
        <Dates {...parts} isNew={stored === undefined} />
        <Lines
          form={form}
          change={change}
          amounts={live.amounts}
          errors={lineErrors}
          itemsError={messageAt(error, "items")}
          currency={currency}
          taxes={taxes}
        />
        <Taxes {...parts} taxes={taxes} />
        <References {...parts} />
        <Remarks {...parts} />
      </div>
      <div className="stack editor-aside">
        <Card title={say("totals")}>
          <div className="stack">
            <output aria-live="polite" aria-label={say("totals")}>
              {live.totals && (
                <TotalsTable totals={live.totals} retentionRate={form.retentionRate} currency={currency} />
              )}
            </output>
            <Doubts warnings={live.warnings} />
            {refused && !isLost ? <ProblemNotice error={refused} /> : <PreviewRefusal error={live.error} />}
          </div>
        </Card>
        {aside}
      </div>
    </div>
  );
}

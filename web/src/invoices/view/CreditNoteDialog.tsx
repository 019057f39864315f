import { useState } from "react";
import { useNavigate } from "react-router";
import type { Schemas } from "../../api/client";
import { useOffer } from "../../countries/queries";
import { reasonsFor, type Choice } from "../../countries/taxes";
import { DecimalField } from "../../ui/DecimalField";
import { FormDialog } from "../../ui/Dialog";
import { Select } from "../../ui/fields";
import { toast } from "../../ui/toasts";
import { useCreditNote, type CreditNoteInput } from "../actions";
import { recordOf, type Invoice, type InvoiceItem } from "../queries";
import { useText } from "../texts";

type Method = NonNullable<CreditNoteInput["method"]>;
type Scope = "whole" | "part";

/** A line of the original as it is given back, or as it should have been. */
interface NoteLine {
  item: InvoiceItem;
  quantity: string;
  unitPrice: string;
}

function withoutAmount<Line extends { lineTotal: number }>(line: Line): Omit<Line, "lineTotal"> {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== "lineTotal")) as Line;
}

function itemOf({ item, quantity, unitPrice }: NoteLine): Schemas["InvoiceItemInput"] {
  const { surchargeByDefault, surchargeRate, ...rest } = item;
  return {
    ...withoutAmount(rest),
    quantity: Number(quantity),
    unitPrice: Number(unitPrice),
    ...(surchargeByDefault ? {} : { surchargeRate }),
  };
}

const isLeft = (line: NoteLine) => line.quantity !== "" && Number(line.quantity) !== 0;

function Lines({ lines, onChange }: { lines: readonly NoteLine[]; onChange: (lines: NoteLine[]) => void }) {
  const say = useText();
  const change = (place: number, changes: Partial<NoteLine>) =>
    onChange(lines.map((line, at) => (at === place ? { ...line, ...changes } : line)));
  return (
    <fieldset className="note-lines">
      <legend>{say("creditLines")}</legend>
      {lines.map((line, place) => (
        <div key={place} className="note-line">
          <p>
            <bdi>{line.item.description}</bdi>
          </p>
          <DecimalField
            label={say("quantity")}
            value={line.quantity}
            onChange={(quantity) => change(place, { quantity })}
          />
          <DecimalField
            label={say("price")}
            value={line.unitPrice}
            onChange={(unitPrice) => change(place, { unitPrice })}
          />
        </div>
      ))}
    </fieldset>
  );
}

function useReasons(invoice: Invoice): Choice[] {
  const { data } = useOffer();
  return data === undefined ? [] : reasonsFor(data.country, invoice);
}

function useNote(invoice: Invoice) {
  const reasons = useReasons(invoice);
  const [chosen, setReason] = useState<string | null>(null);
  // Where none is known yet, the server takes the country's first.
  const reason = chosen ?? reasons[0]?.value ?? "";
  const [method, setMethod] = useState<Method>("differences");
  const [scope, setScope] = useState<Scope>("whole");
  const [lines, setLines] = useState<NoteLine[]>(() =>
    invoice.items.map((item) => ({
      item,
      quantity: String(item.quantity),
      unitPrice: String(item.unitPrice),
    })),
  );
  const statesLines = method === "substitution" || scope === "part";
  const body: CreditNoteInput = {
    invoiceId: invoice.id,
    originalFiscalId: recordOf(invoice)?.fiscalId ?? "",
    originalDate: invoice.issueDate,
    method,
    ...(reason ? { reason } : {}),
    ...(statesLines ? { items: lines.filter(isLeft).map(itemOf) } : {}),
  };
  const isEmpty = statesLines && !lines.some(isLeft);
  return {
    reasons,
    reason,
    setReason,
    method,
    setMethod,
    scope,
    setScope,
    lines,
    setLines,
    statesLines,
    body,
    isEmpty,
  };
}

/** A credit note: why, how, and of what. It is issued at once. */
export function CreditNoteDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const say = useText(recordOf(invoice)?.environment);
  const navigate = useNavigate();
  const note = useNote(invoice);
  const [isRefused, setRefused] = useState(false);
  const credit = useCreditNote((id) => {
    toast(say("creditDone"));
    onClose();
    void navigate(`/invoices/${id}`);
  });
  return (
    <FormDialog
      title={say("creditTitle", { number: invoice.number ?? "" })}
      submit={say("creditIssue")}
      place="wide"
      busy={credit.isPending}
      error={credit.error}
      onSubmit={() => {
        setRefused(note.isEmpty);
        if (!note.isEmpty) credit.mutate(note.body);
      }}
      onClose={onClose}
    >
      <p>{say("creditText")}</p>
      {note.reasons.length > 0 && (
        <Select
          label={say("creditReason")}
          value={note.reason}
          options={note.reasons}
          error={credit.error?.forField("reason")}
          onChange={note.setReason}
        />
      )}
      <Select
        label={say("creditMethod")}
        value={note.method}
        options={(["differences", "substitution"] as const).map((value) => ({
          value,
          label: say(`method_${value}`),
        }))}
        onChange={(value) => note.setMethod(value as Method)}
      />
      {note.method === "differences" && (
        <Select
          label={say("creditScope")}
          value={note.scope}
          options={[
            { value: "whole", label: say("creditWhole") },
            { value: "part", label: say("creditPart") },
          ]}
          onChange={(value) => note.setScope(value as Scope)}
        />
      )}
      {note.statesLines && <Lines lines={note.lines} onChange={note.setLines} />}
      {isRefused && note.isEmpty && (
        <p className="field-error" role="alert">
          {say("creditNothing")}
        </p>
      )}
    </FormDialog>
  );
}

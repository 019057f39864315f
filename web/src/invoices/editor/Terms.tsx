import { useRef } from "react";
import { useTeam } from "../../app/session";
import type { Taxes as OfferedTaxes } from "../../countries/taxes";
import { useHints } from "../../texts/country";
import { daysLater, today } from "../../texts/formats";
import { Button } from "../../ui/Button";
import { DecimalField } from "../../ui/DecimalField";
import { Checkbox, DateField, Select, TextArea, TextField } from "../../ui/fields";
import { Card } from "../../ui/page";
import { useText } from "../texts";
import { messageAt } from "./errors";
import { withIssueDate, type InvoiceForm, type Surcharge } from "./form";
import type { ChangeForm } from "./Lines";

interface Props {
  form: InvoiceForm;
  change: ChangeForm;
  error: unknown;
}

const TERMS = [0, 15, 30, 60] as const;

function DueDate({ form, change, error }: Props) {
  const say = useText();
  const { timezone } = useTeam();
  const { issueDate, dueDate } = form;
  return (
    <div className="stack due">
      <DateField
        label={say("dueDate")}
        hint={dueDate === "" ? say("dueDateHint") : undefined}
        value={dueDate}
        min={issueDate || undefined}
        error={messageAt(error, "dueDate")}
        onChange={(value) => change((before) => ({ ...before, dueDate: value }))}
      />
      <div className="shortcuts" role="group" aria-label={say("dueShortcuts")}>
        {TERMS.map((days) => {
          const date = daysLater(issueDate || today(timezone), days);
          return (
            <Button
              key={days}
              aria-pressed={date === dueDate}
              onClick={() => change((before) => ({ ...before, dueDate: date }))}
            >
              {days === 0 ? say("onReceipt") : say("inDays", { days })}
            </Button>
          );
        })}
      </div>
    </div>
  );
}

/** Dates and kind of the document. */
export function Dates({ form, change, error, isNew }: Props & { isNew: boolean }) {
  const say = useText();
  const hints = useHints();
  const lastDay = useRef(form.issueDate);
  function date(issueDate: string): void {
    const from = form.issueDate || lastDay.current;
    lastDay.current = from;
    change((before) => withIssueDate(before, issueDate, from));
  }
  return (
    <Card title={say("dates")}>
      <div className="columns">
        {isNew && (
          <Select
            label={say("docType")}
            value={form.docType}
            options={(["invoice", "simplified"] as const).map((kind) => ({
              value: kind,
              label: say(`kind_${kind}`),
            }))}
            hint={form.docType === "simplified" ? hints.docType : undefined}
            error={messageAt(error, "docType")}
            onChange={(docType) =>
              change((before) => ({ ...before, docType: docType as InvoiceForm["docType"] }))
            }
          />
        )}
        <DateField
          label={say("issueDate")}
          hint={form.issueDate === "" ? say("issueDateHint") : undefined}
          value={form.issueDate}
          error={messageAt(error, "issueDate")}
          onChange={date}
        />
        <DateField
          label={say("operationDate")}
          hint={say("operationDateHint")}
          value={form.operationDate}
          error={messageAt(error, "operationDate")}
          onChange={(operationDate) => change((before) => ({ ...before, operationDate }))}
        />
        <DueDate form={form} change={change} error={error} />
      </div>
    </Card>
  );
}

/** Retention, surcharge where the country has any, and whether prices contain their tax. */
export function Taxes({ form, change, error, taxes }: Props & { taxes: OfferedTaxes }) {
  const say = useText();
  const hints = useHints();
  const hasSurcharges = Object.keys(taxes.surcharges).length > 0 || form.surcharge !== "client";
  return (
    <Card title={say("taxes")}>
      <div className="columns">
        <DecimalField
          label={say("retentionField")}
          unit="%"
          hint={hints.retentionRate}
          value={form.retentionRate}
          error={messageAt(error, "retentionRate")}
          onChange={(retentionRate) => change((before) => ({ ...before, retentionRate }))}
        />
        {hasSurcharges && (
          <Select
            label={say("surcharge")}
            value={form.surcharge}
            options={(["client", "yes", "no"] as const).map((choice) => ({
              value: choice,
              label: say(`surcharge_${choice}`),
            }))}
            onChange={(surcharge) => change((before) => ({ ...before, surcharge: surcharge as Surcharge }))}
          />
        )}
        <Checkbox
          label={say("pricesIncludeTax")}
          checked={form.pricesIncludeTax}
          onChange={(pricesIncludeTax) => change((before) => ({ ...before, pricesIncludeTax }))}
        />
      </div>
    </Card>
  );
}

/** References of the client, which the document prints, and where it is supplied. */
export function References({ form, change, error }: Props) {
  const say = useText();
  const bind = (name: "purchaseOrder" | "buyerReference" | "placeOfSupply") => ({
    label: say(name),
    value: form[name],
    maxLength: 200,
    error: messageAt(error, name),
    onChange: (value: string) => change((before) => ({ ...before, [name]: value })),
  });
  return (
    <Card title={say("references")}>
      <div className="columns">
        <TextField hint={say("purchaseOrderHint")} {...bind("purchaseOrder")} />
        <TextField hint={say("buyerReferenceHint")} {...bind("buyerReference")} />
        <TextField hint={say("placeOfSupplyHint")} {...bind("placeOfSupply")} />
      </div>
    </Card>
  );
}

export function Remarks({ form, change, error }: Props) {
  const say = useText();
  return (
    <Card title={say("remarks")}>
      <div className="columns">
        <TextArea
          label={say("notes")}
          value={form.notes}
          error={messageAt(error, "notes")}
          onChange={(notes) => change((before) => ({ ...before, notes }))}
        />
        <TextArea
          label={say("terms")}
          value={form.terms}
          error={messageAt(error, "terms")}
          onChange={(terms) => change((before) => ({ ...before, terms }))}
        />
      </div>
    </Card>
  );
}

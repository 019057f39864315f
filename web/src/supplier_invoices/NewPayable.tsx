import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useDraft } from "../app/drafts";
import { useMay, useTeam } from "../app/session";
import { vendorMatches } from "../expenses/queries";
import { useOffer } from "../countries/queries";
import { generalRate, type Offer } from "../countries/taxes";
import { money } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, DateField, Select, TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { Typeahead } from "../ui/Typeahead";
import { useVendor } from "../vendors/queries";
import { VendorDialog } from "../vendors/VendorDialog";
import { useRecordPayable } from "./actions";
import { emptyPayable, requestOf, typedTotals, type PayableForm } from "./form";
import { PurchaseLines } from "./PurchaseLines";
import { useText } from "./texts";

/** The vendor that the address names, as a vendor's card links here. */
function useNamedVendor(form: PayableForm) {
  const [parameters] = useSearchParams();
  const id = form.vendorId === null && form.vendor === "" ? parameters.get("vendorId") : null;
  const vendor = useVendor(id);
  return id === null ? null : (vendor.data?.data ?? null);
}

function Totals({ form }: { form: PayableForm }) {
  const say = useText();
  const totals = typedTotals(form);
  return (
    <output aria-live="polite" className="figure">
      {totals ? (
        <>
          {say("net")} {money(totals.subtotal)} · {say("vat")} {money(totals.tax)} ·{" "}
          <strong>
            {say("total")} {money(totals.total)}
          </strong>
        </>
      ) : (
        ""
      )}
    </output>
  );
}

interface PartProps {
  form: PayableForm;
  onChange: (changes: Partial<PayableForm>) => void;
  refused: ReturnType<typeof useRecordPayable>["error"];
}

function Heading({ form, onChange, refused }: PartProps) {
  const say = useText();
  const mayAdd = useMay("vendors:write");
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="stack">
      <div className="row">
        <Typeahead
          label={say("vendor")}
          required
          value={form.vendor}
          onType={(vendor) => onChange({ vendor, vendorId: null })}
          onChoose={(match) =>
            onChange({ vendor: match.label, vendorId: match.id, category: match.category ?? form.category })
          }
          queryKey={["vendors", "matches"]}
          search={vendorMatches}
          error={refused?.forField("vendorId")}
        />
        {mayAdd && (
          <Button icon="add" onClick={() => setAdding(true)}>
            {say("newVendor")}
          </Button>
        )}
      </div>
      <div className="columns">
        <TextField
          label={say("number")}
          value={form.invoiceNumber}
          onChange={(invoiceNumber) => onChange({ invoiceNumber })}
          error={refused?.forField("invoiceNumber")}
        />
        <DateField
          label={say("invoiceDate")}
          required
          value={form.invoiceDate}
          onChange={(invoiceDate) => onChange({ invoiceDate })}
          error={refused?.forField("invoiceDate")}
        />
        <DateField
          label={say("dueDate")}
          hint={say("dueDateHint")}
          value={form.dueDate}
          onChange={(dueDate) => onChange({ dueDate })}
          error={refused?.forField("dueDate")}
        />
      </div>
      {isAdding && (
        <VendorDialog
          vendor={null}
          name={form.vendor}
          onClose={() => setAdding(false)}
          onSaved={(vendor) => {
            onChange({ vendor: vendor.name, vendorId: vendor.id });
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

function TaxFields({ form, onChange, refused }: PartProps) {
  const say = useText();
  return (
    <div className="stack">
      <div className="columns">
        <DecimalField
          label={say("retentionRate")}
          unit="%"
          value={form.retentionRate}
          onChange={(retentionRate) => onChange({ retentionRate })}
          error={refused?.forField("retentionRate")}
        />
        <DecimalField
          label={say("deductiblePercent")}
          unit="%"
          value={form.deductiblePercent}
          onChange={(deductiblePercent) => onChange({ deductiblePercent })}
          error={refused?.forField("deductiblePercent")}
        />
        <DecimalField
          label={say("usefulLifeYears")}
          value={form.usefulLifeYears}
          onChange={(usefulLifeYears) => onChange({ usefulLifeYears })}
          error={refused?.forField("usefulLifeYears")}
        />
        <Select
          label={say("intraEu")}
          value={form.intraEu}
          options={(["none", "goods", "services"] as const).map((value) => ({
            value,
            label: say(`intraEu_${value}`),
          }))}
          onChange={(value) => onChange({ intraEu: value as PayableForm["intraEu"] })}
        />
      </div>
      <Checkbox
        label={say("reverseCharge")}
        checked={form.reverseCharge}
        onChange={(reverseCharge) => onChange({ reverseCharge })}
      />
      <Checkbox
        label={say("investmentGood")}
        checked={form.investmentGood}
        onChange={(investmentGood) => onChange({ investmentGood })}
      />
      <TextArea label={say("notes")} value={form.notes} onChange={(notes) => onChange({ notes })} />
    </div>
  );
}

function NewForm({ offer: { country, today } }: { offer: Offer }) {
  const say = useText();
  const navigate = useNavigate();
  const team = useTeam();
  const [typed, setTyped, forget] = useDraft(`${team.id}.payable.new`, () =>
    emptyPayable(today, generalRate(country, today)),
  );
  const named = useNamedVendor(typed);
  const form = named ? { ...typed, vendor: named.name, vendorId: named.id } : typed;
  const record = useRecordPayable((payable) => {
    forget();
    toast(say("saved"));
    void navigate(`/payables/${payable.id}`, { replace: true });
  });
  const parts = {
    form,
    refused: record.error,
    onChange: (changes: Partial<PayableForm>) => setTyped({ ...form, ...changes }),
  };
  return (
    <Page title={say("newPayable")}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          record.mutate(requestOf(form));
        }}
      >
        <Card>
          <Heading {...parts} />
        </Card>
        <Card title={say("lines")}>
          <div className="stack">
            <PurchaseLines
              lines={form.lines}
              refused={record.error}
              onChange={(lines) => parts.onChange({ lines })}
            />
            <Totals form={form} />
          </div>
        </Card>
        <Card title={say("taxes")}>
          <TaxFields {...parts} />
        </Card>
        <ProblemNotice error={record.error} onRetry={() => record.mutate(requestOf(form))} />
        <div className="dialog-foot">
          <ButtonLink to="/payables">{say("cancel")}</ButtonLink>
          <Button type="submit" kind="primary" busy={record.isPending}>
            {say("save")}
          </Button>
        </div>
      </form>
    </Page>
  );
}

/** A vendor's invoice, typed in; the tax rate of its lines begins as the country's general one. */
export function NewPayable() {
  const offer = useOffer();
  return (
    <Loaded query={offer} lines={10}>
      {(offered) => <NewForm offer={offered} />}
    </Loaded>
  );
}

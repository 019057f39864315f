import { memo, type KeyboardEvent } from "react";
import { money } from "../../texts/formats";
import { Button } from "../../ui/Button";
import { DecimalField } from "../../ui/DecimalField";
import { Select } from "../../ui/fields";
import { Typeahead } from "../../ui/Typeahead";
import { useText, type InvoiceText } from "../texts";
import type { LineChange } from "./changes";
import type { LineErrors } from "./errors";
import { CATEGORIES, newLine, RATES, type LineForm } from "./form";
import { matchingItems } from "./matches";

interface Props {
  line: LineForm;
  place: number;
  isLast: boolean;
  amount: string;
  currency: string;
  errors: LineErrors | undefined;
  dispatch: (change: LineChange) => void;
}

const EXEMPTIONS = ["E1", "E2", "E3", "E4", "E5", "E6"] as const;

function isChoosing(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && Boolean(target.getAttribute("aria-activedescendant"));
}

function useVatOptions(vat: string) {
  const say = useText();
  const rates = RATES.includes(vat as (typeof RATES)[number]) || /^\D/.test(vat) || vat === "" ? [] : [vat];
  return [
    ...[...RATES, ...rates].map((rate) => ({ value: rate, label: `${rate.replace(".", ",")} %` })),
    ...CATEGORIES.map((category) => ({
      value: category,
      label: say(`category_${category}` as InvoiceText),
    })),
  ];
}

function LineTax({ line, errors, type }: Pick<Props, "line" | "errors"> & { type: TypeLine }) {
  const say = useText();
  return (
    <div className="line-tax">
      <Select
        label={say("vat")}
        value={line.vat}
        options={useVatOptions(line.vat)}
        error={errors?.taxRate ?? errors?.taxCategory ?? errors?.notSubjectReason}
        onChange={(vat) => type({ vat, exemptionCode: "" })}
      />
      {line.vat === "exempt" && (
        <Select
          label={say("exemption")}
          none={say("exemptionNone")}
          value={line.exemptionCode}
          options={EXEMPTIONS.map((code) => ({
            value: code,
            label: say(`exemption_${code}` as InvoiceText),
          }))}
          error={errors?.exemptionCode}
          onChange={(exemptionCode) => type({ exemptionCode })}
        />
      )}
    </div>
  );
}

type TypeLine = (changes: Partial<LineForm>) => void;

function LineButtons({ line, place, isLast, dispatch }: Props) {
  const say = useText();
  const named = { place: place + 1 };
  return (
    <div className="line-buttons">
      <Button
        kind="quiet"
        icon="up"
        label={say("moveUp", named)}
        disabled={place === 0}
        onClick={() => dispatch({ kind: "move", key: line.key, by: -1 })}
      />
      <Button
        kind="quiet"
        icon="down"
        label={say("moveDown", named)}
        disabled={isLast}
        onClick={() => dispatch({ kind: "move", key: line.key, by: 1 })}
      />
      <Button
        kind="quiet"
        icon="trash"
        label={say("removeLine", named)}
        onClick={() => dispatch({ kind: "remove", key: line.key })}
      />
    </div>
  );
}

/** One line. It is drawn anew only when it changes itself, so that typing stays quick in a long invoice. */
export const LineEditor = memo(function LineEditor(props: Props) {
  const { line, amount, currency, errors, dispatch } = props;
  const say = useText();
  const type: TypeLine = (changes) => dispatch({ kind: "type", key: line.key, changes });

  function press(event: KeyboardEvent): void {
    const isMove = event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown");
    if (isMove) dispatch({ kind: "move", key: line.key, by: event.key === "ArrowUp" ? -1 : 1 });
    const isField = event.target instanceof HTMLInputElement;
    const isNew = event.key === "Enter" && isField && !isChoosing(event.target);
    if (isNew) dispatch({ kind: "add", after: line.key, line: newLine(line.vat) });
    if (!isMove && !isNew) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <li className="line" data-line={line.key} onKeyDownCapture={press}>
      <Typeahead
        label={say("description")}
        value={line.description}
        onType={(description) => type({ description })}
        onChoose={(item) => dispatch({ kind: "choose", key: line.key, item })}
        queryKey={["catalog", "matches"]}
        search={matchingItems}
        error={errors?.description ?? errors?.catalogItemId}
      />
      <DecimalField
        label={say("quantity")}
        value={line.quantity}
        error={errors?.quantity}
        onChange={(quantity) => type({ quantity })}
      />
      <DecimalField
        label={say("price")}
        value={line.unitPrice}
        error={errors?.unitPrice ?? errors?.purchaseCost}
        onChange={(unitPrice) => type({ unitPrice })}
      />
      <DecimalField
        label={say("discount")}
        value={line.discount}
        error={errors?.discount}
        onChange={(discount) => type({ discount })}
      />
      <LineTax line={line} errors={errors} type={type} />
      <p className="line-amount">
        <span className="line-amount-name">{say("amount")}</span>
        <span className="figure">{amount === "" ? "" : money(amount, currency)}</span>
      </p>
      <LineButtons {...props} />
    </li>
  );
});

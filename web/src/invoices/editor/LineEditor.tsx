import { memo, type KeyboardEvent } from "react";
import type { Taxes } from "../../countries/taxes";
import { isDecimal } from "../../money/exact";
import { money, percent } from "../../texts/formats";
import { Button } from "../../ui/Button";
import { DecimalField } from "../../ui/DecimalField";
import { Select } from "../../ui/fields";
import { Typeahead } from "../../ui/Typeahead";
import { useText, type InvoiceText } from "../texts";
import type { LineChange } from "./changes";
import type { LineErrors } from "./errors";
import { CATEGORIES, isCategory, newLine, type LineForm } from "./form";
import { matchingItems } from "./matches";

interface Props {
  line: LineForm;
  place: number;
  isLast: boolean;
  amount: string;
  currency: string;
  /** What is offered on the day of the document. */
  taxes: Taxes;
  errors: LineErrors | undefined;
  dispatch: (change: LineChange) => void;
}

/** Value of the choice that a rate is typed. */
const TYPED = "rate";

function isChoosing(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && Boolean(target.getAttribute("aria-activedescendant"));
}

/** Rates of the day, the line's own where it is none of them, and what is not taxed. */
function useVatOptions(vat: string, { rates }: Taxes) {
  const say = useText();
  const isOwn = isDecimal(vat) && !rates.some((rate) => rate.value === vat);
  const own = isOwn ? [{ value: vat, label: percent(vat) }] : [];
  return [
    ...(rates.length > 0 ? [...rates, ...own] : [{ value: TYPED, label: say("typedRate") }]),
    ...CATEGORIES.map((category) => ({
      value: category,
      label: say(`category_${category}` as InvoiceText),
    })),
  ];
}

function Exemption({ line, taxes, errors, type }: TaxProps) {
  const say = useText();
  const [usual] = taxes.exemptions;
  if (usual === undefined) return null;
  return (
    <Select
      label={say("exemption")}
      none={say("exemptionNone", { usual: usual.label })}
      value={line.exemptionCode}
      options={taxes.exemptions}
      error={errors?.exemptionCode}
      onChange={(exemptionCode) => type({ exemptionCode })}
    />
  );
}

function LineTax(props: TaxProps) {
  const { line, taxes, errors, type } = props;
  const say = useText();
  const isTyped = taxes.rates.length === 0 && !isCategory(line.vat);
  const error = errors?.taxRate ?? errors?.taxCategory ?? errors?.notSubjectReason;
  return (
    <div className="line-tax">
      <Select
        label={say("vat")}
        value={isTyped ? TYPED : line.vat}
        options={useVatOptions(line.vat, taxes)}
        error={isTyped ? undefined : error}
        onChange={(vat) => type({ vat: vat === TYPED ? "" : vat, exemptionCode: "" })}
      />
      {isTyped && (
        <DecimalField
          label={say("typedRate")}
          unit="%"
          value={line.vat}
          error={error}
          onChange={(vat) => type({ vat })}
        />
      )}
      {line.vat === "exempt" && <Exemption {...props} />}
    </div>
  );
}

type TaxProps = Pick<Props, "line" | "taxes" | "errors"> & { type: TypeLine };
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
  const { line, amount, currency, taxes, errors, dispatch } = props;
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
      <LineTax line={line} taxes={taxes} errors={errors} type={type} />
      <p className="line-amount">
        <span className="line-amount-name">{say("amount")}</span>
        <span className="figure">{amount === "" ? "" : money(amount, currency)}</span>
      </p>
      <LineButtons {...props} />
    </li>
  );
});

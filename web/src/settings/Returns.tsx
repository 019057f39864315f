import { kindOf, type Json } from "../approvals/form";
import { isNamed, useFieldText } from "../approvals/texts";
import { useCategoryName } from "../expenses/texts";
import { useServerWord } from "../teams/texts";
import { country, day, decimal, percent } from "../texts/formats";
import { isChangeText, useChangeText } from "./texts";
import type { Return } from "./undoing";

/** Fields of a record, and signs of a value, that are shown at most. */
const MOST_FIELDS = 5;
const MOST_SIGNS = 80;

/** The word for a field; null where a person has none. */
function useFieldName(): (field: string) => string | null {
  const say = useChangeText();
  const sayField = useFieldText();
  return (field) => {
    const key = `field_${field}`;
    return isNamed(field) ? sayField(field) : isChangeText(key) ? say(key) : null;
  };
}

const cut = (words: string) => (words.length > MOST_SIGNS ? `${words.slice(0, MOST_SIGNS - 1)}…` : words);

/** The value of a field as a person reads it. An amount stands without a sign: the log does not tell its currency. */
function useValue(): (field: string, value: Json) => string {
  const say = useChangeText();
  const categoryName = useCategoryName();
  const serverWord = useServerWord();
  return (field, value) => {
    if (value === null || value === "") return say("nothing");
    const text = String(value);
    if (field === "category") return cut(categoryName(text));
    if (field === "role") return serverWord(text);
    if (/country$/i.test(field)) return country(text);
    const key = `value_${text}`;
    if (/^(priority|status)$/.test(field)) return isChangeText(key) ? say(key) : text;
    switch (field === "amountPaid" ? "amount" : kindOf(field, value)) {
      case "amount":
        return decimal(text, 2);
      case "percent":
        return percent(text);
      case "number":
        return decimal(text);
      case "day":
        return day(text);
      default:
        return cut(text);
    }
  };
}

const isNested = (value: Json) => typeof value === "object" && value !== null;

/** The fields of a record that go back, each with its value until then and afterwards. */
export function Returns({ returns }: { returns: readonly Return[] }) {
  const say = useChangeText();
  const nameOf = useFieldName();
  const shown = useValue();
  const told = returns
    .filter(({ field, from, to }) => nameOf(field) !== null && !isNested(from) && !isNested(to))
    .slice(0, MOST_FIELDS);
  const others = returns.length - told.length;
  return (
    <>
      {told.map(({ field, from, to }) => (
        <div key={field}>
          {nameOf(field)}: <bdi>{shown(field, from)}</bdi> <span aria-hidden="true">→</span>{" "}
          <span className="only-read">{say("becomes")} </span>
          <bdi>{shown(field, to)}</bdi>
        </div>
      ))}
      {others > 0 && <div className="soft">{say("others", { count: others })}</div>}
    </>
  );
}

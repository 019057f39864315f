import { country, day, decimal, percent } from "../texts/formats";
import { kindOf } from "./form";
import type { Fact } from "./summary";
import { isNamed, useFieldText } from "./texts";

/** A fact as a person reads it: a field of the request, which a plain summary names as such, gets the app's word. */
export function useFactWords(): (fact: Fact) => Fact {
  const say = useFieldText();
  return (fact) => {
    if (!isNamed(fact.label)) return fact;
    return { label: say(fact.label), value: shown(fact.label, fact.value) };
  };
}

function shown(name: string, value: string): string {
  const kind = kindOf(name, value);
  if (name === "country") return country(value);
  if (kind === "day") return day(value);
  if (!/^-?\d+(\.\d+)?$/.test(value)) return value;
  if (kind === "percent") return percent(value);
  if (kind === "amount") return decimal(value, 2);
  return kind === "number" ? decimal(value) : value;
}

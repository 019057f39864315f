import { countries } from "../texts/countries";
import { Select } from "./fields";
import { country } from "../texts/formats";
import { useTeam } from "../app/session";

interface Props {
  label: string;
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
  required?: boolean;
  /** What no choice means; by default the account's own country. */
  none?: string;
}

/** A country by its name; typing the first letters finds it. A code that no country has any more is kept. */
export function CountryField({ value, none, ...field }: Props) {
  const own = country(useTeam().country);
  const all = countries();
  const isKnown = value === "" || all.some((country) => country.value === value);
  const options = isKnown ? all : [{ value, label: value }, ...all];
  return <Select {...field} value={value} options={options} none={none ?? own} />;
}

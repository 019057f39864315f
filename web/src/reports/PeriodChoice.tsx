import { useState } from "react";
import { DecimalField } from "../ui/DecimalField";
import { DateField, Select } from "../ui/fields";
import { quarterNumber } from "../texts/days";
import { Button } from "../ui/Button";
import { useFilters } from "../ui/filters";
import { showUnreadable } from "../ui/unreadable";
import { PRESETS, spanOf, type Preset } from "./periods";
import type { Asked, View } from "./queries";
import { useReportsText } from "./texts";

const FIRST_YEAR = 2000;
const YEARS_SHOWN = 8;
const BY_DAYS: readonly View[] = ["profit", "income", "till"];

function presetOf(asked: Asked): Preset | "custom" {
  const isAsked = (preset: Preset) => {
    const span = spanOf(preset, asked.today);
    return span.from === asked.from && span.to === asked.to;
  };
  return PRESETS.find(isAsked) ?? "custom";
}

function Days({ asked }: { asked: Asked }) {
  const say = useReportsText();
  const { today } = asked;
  const { set } = useFilters();
  const preset = presetOf(asked);
  return (
    <>
      <Select
        label={say("period")}
        value={preset}
        options={[
          ...PRESETS.map((value) => ({ value, label: say(value) })),
          ...(preset === "custom" ? [{ value: "custom", label: say("custom") }] : []),
        ]}
        onChange={(value) => value !== "custom" && set({ ...spanOf(value as Preset, today) })}
      />
      <DateField
        label={say("from")}
        value={asked.from}
        max={asked.to}
        onChange={(from) => from !== "" && set({ from, to: asked.to })}
      />
      <DateField
        label={say("to")}
        value={asked.to}
        min={asked.from}
        onChange={(to) => to !== "" && set({ from: asked.from, to })}
      />
    </>
  );
}

function Quarter({ asked }: { asked: Asked }) {
  const say = useReportsText();
  const { set } = useFilters();
  const thisYear = Number(asked.today.slice(0, 4));
  const years = Array.from({ length: YEARS_SHOWN }, (_, back) => thisYear - back);
  const offered = years.includes(asked.year) ? years : [asked.year, ...years];
  return (
    <>
      <Select
        label={say("year")}
        value={String(asked.year)}
        options={offered
          .filter((year) => year >= FIRST_YEAR)
          .map((year) => ({ value: String(year), label: String(year) }))}
        onChange={(year) => set({ year, quarter: String(asked.quarter) })}
      />
      <Select
        label={say("quarter")}
        value={String(asked.quarter)}
        options={["1", "2", "3", "4"].map((quarter) => ({
          value: quarter,
          label: say("quarterOf", { quarter: quarterNumber(quarter) }),
        }))}
        onChange={(quarter) => set({ year: String(asked.year), quarter })}
      />
    </>
  );
}

function Opening({ asked }: { asked: Asked }) {
  const say = useReportsText();
  const { set } = useFilters();
  const [typed, setTyped] = useState(asked.opening);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (!showUnreadable(event.currentTarget)) set({ opening: typed });
      }}
    >
      <DecimalField
        label={say("opening")}
        hint={say("openingHint")}
        unit="€"
        value={typed}
        onChange={setTyped}
      />
      <Button type="submit">{say("apply")}</Button>
    </form>
  );
}

/** The period of a report, kept in the address. */
export function PeriodChoice({ asked }: { asked: Asked }) {
  return (
    <div className="row report-period">
      {BY_DAYS.includes(asked.view) && <Days asked={asked} />}
      {asked.view === "vat" && <Quarter asked={asked} />}
      {asked.view === "cashflow" && <Opening asked={asked} />}
    </div>
  );
}

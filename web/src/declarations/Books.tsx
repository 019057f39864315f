import { useState, type FormEvent } from "react";
import { useAction } from "../api/actions";
import { download } from "../api/client";
import { Button } from "../ui/Button";
import { Select, TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useTaxText } from "./texts";
import { monthName } from "../texts/days";
import { periodName } from "./words";

const BOOKS = ["issued", "received", "investment"] as const;
const QUARTERS = ["Q1", "Q2", "Q3", "Q4"] as const;
const MONTHS = Array.from({ length: 12 }, (_, index) => `M${String(index + 1).padStart(2, "0")}`);

/** The record books of a period, as a workbook or one of them as text. */
export function Books({ today }: { today: string }) {
  const say = useTaxText();
  const [asked, setAsked] = useState({
    year: today.slice(0, 4),
    period: "Y",
    format: "xlsx",
    book: "issued",
  });
  const saving = useAction({
    run: ({ book, ...query }: typeof asked) => {
      const parameters = new URLSearchParams(query.format === "csv" ? { ...query, book } : query);
      return download(`/api/tax-declarations/books?${parameters.toString()}`);
    },
  });
  const year = Number(asked.year);
  function save(event: FormEvent): void {
    event.preventDefault();
    saving.mutate(asked);
  }
  return (
    <Card title={say("books")}>
      <form className="stack tax-books" onSubmit={save}>
        <p>{say("booksText")}</p>
        <div className="columns">
          <TextField
            label={say("year")}
            inputMode="numeric"
            value={asked.year}
            onChange={(typed) => setAsked({ ...asked, year: typed.replace(/\D/g, "").slice(0, 4) })}
          />
          <Select
            label={say("period")}
            value={asked.period}
            options={[
              { value: "Y", label: say("allYear") },
              ...QUARTERS.map((value) => ({ value, label: periodName(value, year, say) })),
              ...MONTHS.map((value) => ({
                value,
                label: monthName(`${String(year || 2000).padStart(4, "0")}-${value.slice(1)}`),
              })),
            ]}
            onChange={(period) => setAsked({ ...asked, period })}
          />
          <Select
            label={say("bookFormat")}
            value={asked.format}
            options={[
              { value: "xlsx", label: say("bookXlsx") },
              { value: "csv", label: say("bookCsv") },
            ]}
            onChange={(format) => setAsked({ ...asked, format })}
          />
          {asked.format === "csv" && (
            <Select
              label={say("book")}
              value={asked.book}
              options={BOOKS.map((value) => ({ value, label: say(value) }))}
              onChange={(book) => setAsked({ ...asked, book })}
            />
          )}
        </div>
        <ProblemNotice error={saving.error} />
        <p>
          <Button type="submit" kind="primary" icon="download" busy={saving.isPending}>
            {say("booksGo")}
          </Button>
        </p>
      </form>
    </Card>
  );
}

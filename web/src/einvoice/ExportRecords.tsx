import { useState, type FormEvent } from "react";
import { useAction } from "../api/actions";
import { download } from "../api/client";
import { useTeam } from "../app/session";
import { today as todayIn } from "../texts/formats";
import { Button } from "../ui/Button";
import { DateField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useEinvoiceText } from "./texts";

/** Records of some days as a ZIP, for an inspection. */
export function ExportRecords() {
  const say = useEinvoiceText();
  const today = todayIn(useTeam().timezone);
  const [days, setDays] = useState({ from: `${today.slice(0, 4)}-01-01`, to: today });
  const saving = useAction({
    run: (span: { from: string; to: string }) =>
      download(`/api/einvoice/export?${new URLSearchParams(span).toString()}`),
  });
  function save(event: FormEvent): void {
    event.preventDefault();
    saving.mutate(days);
  }
  return (
    <Card title={say("exportTitle")}>
      <form className="stack" onSubmit={save}>
        <p>{say("exportText")}</p>
        <DateField label={say("from")} value={days.from} onChange={(from) => setDays({ ...days, from })} />
        <DateField label={say("to")} value={days.to} onChange={(to) => setDays({ ...days, to })} />
        <ProblemNotice error={saving.error} />
        <Button type="submit" icon="download" busy={saving.isPending}>
          {say("exportGo")}
        </Button>
      </form>
    </Card>
  );
}

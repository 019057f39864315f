import { useState, type FormEvent } from "react";
import { Button, ButtonLink } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { TextField } from "../ui/fields";
import { ProblemNotice } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { useOpenRegister } from "./actions";
import { useText } from "./texts";

/** The beginning of a till's day. */
export function OpenForm() {
  const say = useText();
  const [float, setFloat] = useState("0");
  const [notes, setNotes] = useState("");
  const opening = useOpenRegister();
  function send(event: FormEvent): void {
    event.preventDefault();
    if (!opening.isPending) opening.mutate({ openingAmount: Number(float || "0"), notes: notes || null });
  }
  return (
    <Page
      title={say("title")}
      lead={say("openLead")}
      actions={
        <ButtonLink icon="clock" to="/till/history">
          {say("history")}
        </ButtonLink>
      }
    >
      <Card title={say("openTitle")} className="till-open">
        <form className="stack till-touch" onSubmit={send} noValidate>
          <DecimalField
            label={say("float")}
            unit="€"
            value={float}
            error={opening.error?.forField("openingAmount")}
            onChange={setFloat}
          />
          <TextField
            label={say("notes")}
            value={notes}
            error={opening.error?.forField("notes")}
            onChange={setNotes}
          />
          <ProblemNotice error={opening.error} />
          <Button type="submit" kind="primary" icon="shop" busy={opening.isPending}>
            {say("open")}
          </Button>
        </form>
      </Card>
    </Page>
  );
}

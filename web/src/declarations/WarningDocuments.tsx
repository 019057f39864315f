import { useState } from "react";
import { useNavigate } from "react-router";
import { api, take } from "../api/client";
import { ProblemError } from "../api/problem";
import { Button } from "../ui/Button";
import { useTaxText } from "./texts";

const MOST_NAMED = 20;

const isMissing = (error: unknown) =>
  error instanceof ProblemError && (error.status === 404 || error.status === 403);

/** Where the document of a warning is shown: warnings name ids only, of sales and of purchases. */
async function placeOf(id: string): Promise<string | null> {
  const path = { params: { path: { id } } };
  const places = [
    ["/invoices", () => take(api.GET("/api/invoices/{id}", path))],
    ["/expenses", () => take(api.GET("/api/expenses/{id}", path))],
    ["/payables", () => take(api.GET("/api/supplier-invoices/{id}", path))],
  ] as const;
  for (const [place, read] of places) {
    try {
      await read();
      return `${place}/${id}`;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return null;
}

/** The documents that a warning is about, each a step away. */
export function WarningDocuments({ ids }: { ids: readonly string[] }) {
  const say = useTaxText();
  const navigate = useNavigate();
  const [isGone, setGone] = useState(false);
  async function open(id: string): Promise<void> {
    const place = await placeOf(id);
    if (place === null) setGone(true);
    else await navigate(place);
  }
  return (
    <details className="tax-documents">
      <summary>{say("warningDocuments", { count: ids.length })}</summary>
      <div className="row">
        {ids.slice(0, MOST_NAMED).map((id, place) => (
          <Button key={id} onClick={() => void open(id)}>
            {say("warningDocument", { number: place + 1 })}
          </Button>
        ))}
      </div>
      <output aria-live="polite">{isGone && say("documentGone")}</output>
    </details>
  );
}

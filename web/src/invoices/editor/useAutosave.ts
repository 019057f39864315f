import { useEffect, useMemo, useState } from "react";
import { useAction } from "../../api/actions";
import { impatient, put, takeVersioned, type Versioned } from "../../api/client";
import { isNoConnection, type ProblemError } from "../../api/problem";
import type { Offer } from "../../countries/taxes";
import type { Invoice } from "../queries";
import { changeOf, formOf, isComputable, surchargesOf, type ChangeInput, type InvoiceForm } from "./form";

const PAUSE = 1200;

export type SaveState = "saved" | "unsaved" | "saving" | "conflict" | "failed" | "offline";

interface Saving {
  body: ChangeInput;
  version: string;
}

/** A client that is not stored yet goes only when it is asked for: half a name would become a client. */
function quiet(body: ChangeInput): ChangeInput {
  return { ...body, client: undefined };
}

const quietBody = (form: InvoiceForm, offer: Offer): ChangeInput =>
  quiet(changeOf(form, surchargesOf(form, offer)));

const textOf = (invoice: Invoice, offer: Offer) => JSON.stringify(quietBody(formOf(invoice), offer));

function stateOf(error: ProblemError | null, isPending: boolean, isDirty: boolean): SaveState {
  if (isPending) return "saving";
  if (error?.status === 412) return "conflict";
  if (isNoConnection(error) && isDirty) return "offline";
  if (error && isDirty) return "failed";
  return isDirty ? "unsaved" : "saved";
}

/** Saves a stored draft while one types, each time upon the version that was read; another's change is never overwritten. */
export function useAutosave(
  loaded: Versioned<Invoice>,
  form: InvoiceForm,
  offer: Offer,
  onSaved: (saved: Versioned<Invoice>) => void,
) {
  const quietText = (invoice: Invoice) => textOf(invoice, offer);
  const [stored, setStored] = useState(() => ({
    text: quietText(loaded.data),
    ...loaded,
  }));
  const [refused, setRefused] = useState<string | null>(null);
  const body = useMemo(() => quietBody(form, offer), [form, offer]);
  const text = JSON.stringify(body);
  const save = useAction({
    run: (input: Saving) =>
      takeVersioned(
        put(input.version)("/api/invoices/{id}", {
          params: { path: { id: loaded.data.id } },
          body: input.body,
          fetch: impatient,
        }),
      ),
    refreshes: [
      ["invoices", "list"],
      ["invoices", "counts"],
    ],
    onDone: (saved, input) => {
      setRefused(null);
      setStored({ text: JSON.stringify(quiet(input.body)), ...saved });
      onSaved(saved);
    },
  });
  const { mutate, mutateAsync, isPending } = save;
  const isDirty = text !== stored.text;
  const mayTry = isDirty && !isPending && refused !== text && isComputable(form);
  /** What was refused, or could not be sent, goes again only when it is asked for. */
  const asRefused = { onError: () => setRefused(text) };

  useEffect(() => {
    if (!mayTry) return undefined;
    const timer = setTimeout(() => mutate({ body, version: stored.version }, asRefused), PAUSE);
    return () => clearTimeout(timer);
  }, [mayTry, text]); // eslint-disable-line react-hooks/exhaustive-deps -- `body` is `text`, the others are new at each drawing

  return {
    state: stateOf(save.error, isPending, isDirty),
    error: save.error?.status === 412 ? null : save.error,
    stored,
    /** Go on from what somebody else has stored. */
    accept: (theirs: Versioned<Invoice>) => {
      save.reset();
      setRefused(null);
      setStored({ text: quietText(theirs.data), ...theirs });
    },
    /** Go on with a draft that has followed its client's card; where somebody changed anything else too, it is a conflict. */
    follow: (fresh: Versioned<Invoice>): boolean => {
      const isSame = quietText(fresh.data) === quietText(stored.data);
      if (isSame) setStored((before) => ({ ...before, ...fresh }));
      return isSame;
    },
    /** Save at once, a client that is not stored yet too. With `version` over whatever is there. */
    saveNow: (version = stored.version) =>
      mutateAsync({ body: changeOf(form, surchargesOf(form, offer)), version }, asRefused),
    isSaving: isPending,
  };
}

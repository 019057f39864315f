import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take } from "../api/client";
import { ProblemError } from "../api/problem";
import { recordOf } from "../invoices/queries";
import { examples, type Wanted } from "./examples";

/** Records that were made as examples, kept as an entry of the business context until they are removed. */
export interface Demonstration {
  invoices: string[];
  clients: string[];
  items: string[];
  expenses: string[];
  tasks: string[];
}

/** Key of the entry that lists them: for this code, not for people. */
export const EXAMPLES_ENTRY = "demo-data";
const NOTHING: Demonstration = { invoices: [], clients: [], items: [], expenses: [], tasks: [] };

function parsed(content: string): Demonstration | null {
  try {
    return { ...NOTHING, ...(JSON.parse(content) as Partial<Demonstration>) };
  } catch {
    return null;
  }
}

/** The examples that are there now, null where there are none. */
export function useDemonstration() {
  return useQuery({
    queryKey: ["context", "examples"],
    queryFn: ({ signal }) => take(api.GET("/api/context", { signal })),
    select: (context) => {
      const entry = context.entries.find((entry) => entry.key === EXAMPLES_ENTRY);
      return entry ? parsed(entry.content) : null;
    },
  });
}

async function noted(made: Demonstration): Promise<void> {
  const body = {
    key: EXAMPLES_ENTRY,
    title: "Datos de ejemplo",
    content: JSON.stringify(made),
    category: "ledgerkit",
  };
  await take(put(NO_VERSION)("/api/context/entry", { body }));
}

type Progress = (done: number, all: number) => void;

/** Issue an example in the simulation; it stays a draft where the books have a later number than its day allows. */
async function issue(id: string, paidOn: string | null, intent: string): Promise<void> {
  try {
    const body = { invoiceId: id, correct: false };
    await take(api.POST("/api/einvoice/emit", { body, headers: keyed(`${intent}.emit`) }));
  } catch (error) {
    if (error instanceof ProblemError && error.code === "ISSUE_DATE_BEFORE_LAST") return;
    throw error;
  }
  if (paidOn === null) return;
  const params = { path: { id } };
  await take(
    api.PATCH("/api/invoices/{id}/pay", {
      params,
      body: { paidAt: paidOn },
      headers: keyed(`${intent}.pay`),
    }),
  );
}

/** Make the examples one by one. Each has a key of its own, so that a second attempt goes on where the first ended. */
async function create(wanted: Wanted, intent: string, progress: Progress): Promise<Demonstration> {
  const { clients, items, invoices, expenses, tasks } = examples(wanted);
  const all = [clients, items, invoices, expenses, tasks].reduce((sum, records) => sum + records.length, 0);
  const made: Demonstration = { invoices: [], clients: [], items: [], expenses: [], tasks: [] };
  let done = 0;
  const headers = () => keyed(`${intent}.${done}`);
  const note = async (into: string[], id: string) => {
    into.push(id);
    done += 1;
    progress(done, all);
    await noted(made);
  };
  for (const body of clients)
    await note(made.clients, (await take(api.POST("/api/clients", { body, headers: headers() }))).id);
  for (const body of items)
    await note(made.items, (await take(api.POST("/api/catalog", { body, headers: headers() }))).id);
  for (const invoice of invoices) {
    const draft = { ...invoice.body, clientId: made.clients[invoice.of] ?? null };
    const { id } = await take(api.POST("/api/invoices", { body: draft, headers: headers() }));
    await note(made.invoices, id);
    if (invoice.issued) await issue(id, invoice.paidOn, `${intent}.${id}`);
  }
  for (const body of expenses)
    await note(made.expenses, (await take(api.POST("/api/expenses", { body, headers: headers() }))).id);
  for (const body of tasks)
    await note(made.tasks, (await take(api.POST("/api/tasks", { body, headers: headers() }))).id);
  return made;
}

/** Records that are gone already, or that have become real and stay, do not stop the rest. */
async function removed(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ProblemError) || ![400, 404, 409].includes(error.status)) throw error;
  }
}

/** Delete an example that is a draft; annul one that the simulation has: a number is not deleted there either. */
async function removeInvoice(id: string): Promise<void> {
  const params = { path: { id } };
  const invoice = await take(api.GET("/api/invoices/{id}", { params }));
  const record = recordOf(invoice);
  if (record === null) await take(api.DELETE("/api/invoices/{id}", { params }));
  if (record === null || record.environment !== "sandbox" || record.kind === "annul") return;
  const body = { fiscalId: record.fiscalId, reason: "Ejemplo" };
  await take(api.POST("/api/einvoice/annul", { body, headers: keyed(`${id}.annul`) }));
}

async function remove(made: Demonstration, progress: Progress): Promise<void> {
  const path = (id: string) => ({ params: { path: { id } } });
  const calls = [
    ...made.invoices.map((id) => () => removeInvoice(id)),
    ...made.expenses.map((id) => () => take(api.DELETE("/api/expenses/{id}", path(id)))),
    ...made.tasks.map((id) => () => take(api.DELETE("/api/tasks/{id}", path(id)))),
    ...made.items.map((id) => () => take(api.DELETE("/api/catalog/{id}", path(id)))),
    ...made.clients.map((id) => () => take(api.DELETE("/api/clients/{id}", path(id)))),
  ];
  for (const [done, call] of calls.entries()) {
    await removed(call());
    progress(done + 1, calls.length);
  }
  await removed(take(api.DELETE("/api/context/entry/{key}", { params: { path: { key: EXAMPLES_ENTRY } } })));
}

export function useDemonstrationActions() {
  const queries = useQueryClient();
  const [progress, setProgress] = useState({ done: 0, all: 1 });
  const report: Progress = (done, all) => setProgress({ done, all });
  const renew = () => void queries.invalidateQueries();
  const fill = useAction({ run: (wanted: Wanted, key) => create(wanted, key, report), onDone: renew });
  const clear = useAction({ run: (made: Demonstration) => remove(made, report), onDone: renew });
  return { fill, clear, progress };
}

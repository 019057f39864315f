/**
 * A small client of the description, compiled by `make openapi` with `tsc --strict`: never run. What stands here is what
 * somebody writes who has generated types with openapi-typescript as it comes.
 */
import type { components, operations, paths } from "./openapi";

type Schema = components["schemas"];
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Success<T> = T extends { responses: infer R } ? Json<R[keyof R & (200 | 201)]> : never;
type Sent<T> = T extends { requestBody?: infer B } ? Json<NonNullable<B>> : never;
type Posting = { [P in keyof paths]: paths[P] extends { post: infer O } ? O : never };

class Refused extends Error {
  constructor(readonly problem: Schema["Problem"]) {
    super(`${problem.code}: ${problem.detail} ${problem.remedy ?? ""}`);
  }

  /** What is wrong with each field, in Spanish where the server has it. */
  fields(): Map<string, string> {
    return new Map(this.problem.errors.map((one) => [one.field, one.translations?.["es"]?.message ?? one.message]));
  }
}

class Client {
  constructor(private readonly base: string, private readonly key: string) {}

  async post<P extends keyof Posting & string>(path: P, body: Sent<Posting[P]>): Promise<Success<Posting[P]>> {
    const answer = await fetch(this.base + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.key, "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Refused((await answer.json()) as Schema["Problem"]);
    return (await answer.json()) as Success<Posting[P]>;
  }

  async invoices(query: NonNullable<operations["listInvoices"]["parameters"]["query"]>): Promise<Schema["Invoice"][]> {
    const given = Object.entries(query).filter(([, value]) => value != null);
    const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const answer = await fetch(`${this.base}/api/invoices?${asked}`, { headers: { "x-api-key": this.key } });
    return (await answer.json()) as Schema["Invoice"][];
  }
}

export async function sell(client: Client): Promise<string> {
  const line: Schema["InvoiceItemInput"] = { description: "Identidad visual", unitPrice: 1200 };
  const draft = await client.post("/api/invoices", { client: { name: "Talleres Norte, S.L." }, items: [line] });
  const emitted = await client.post("/api/einvoice/emit", { invoiceId: draft.id });
  const march = await client.invoices({ from: "2026-03-01", to: "2026-03-31", docType: "invoice", series: "F" });
  const open: number = march.reduce((sum, one) => sum + one.balance, 0);
  return `${draft.number ?? "draft"} ${emitted.status} ${open.toFixed(2)}`;
}

/** Whatever has a default may be left out. */
export const shortest = {
  registration: { email: "ana@example.com", password: "a long enough secret" } satisfies Schema["Registration"],
  client: { name: "Ana" } satisfies Schema["ClientInput"],
  item: { name: "Taza" } satisfies Schema["ItemInput"],
  task: { title: "Llamar" } satisfies Schema["TaskInput"],
  invitation: { email: "eva@example.com" } satisfies Schema["InvitationInput"],
  movement: { type: "sale", amount: 5, description: "Café" } satisfies Schema["MovementInput"],
  emission: { invoiceId: "x" } satisfies Schema["EmitInput"],
  entry: { key: "hours", content: "9 to 5" } satisfies Schema["EntryInput"],
  owed: { vendorId: "x", invoiceDate: "2026-11-21", total: 121 } satisfies Schema["SupplierInvoiceInput"],
  expenseChange: { notes: "x" } satisfies Schema["ExpenseChange"],
  taskChange: { status: "done" } satisfies Schema["TaskChange"],
};

/** What answers always have needs no question mark. */
export function shown(deleted: Schema["Deleted"], problem: Schema["Problem"]): [boolean, string | null | undefined] {
  return [deleted.ok, problem.errors[0]?.remedy];
}

// @ts-expect-error an invoice's line says what it is for
export const nameless: Schema["InvoiceItemInput"] = { unitPrice: 1 };

// @ts-expect-error a kind that there is not
export const unknown: Schema["MovementInput"] = { type: "gift", amount: 1, description: "x" };

export function handled(problem: operations["emitEInvoice"]["responses"][422]["content"]["application/problem+json"]) {
  const code: "AUTHORITY_REJECTED" | "NUMBER_TAKEN" | undefined = problem.code;
  return code;
}

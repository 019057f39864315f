import { expect, it } from "vitest";
import { changedArguments, groupsOf, offeredArguments, typedOf, type Arguments } from "./form";

const PROPOSED: Arguments = {
  id: "0190a0b0-0000-7000-8000-000000000000",
  clientId: "0190a0b0-0000-7000-8000-000000000001",
  currency: "EUR",
  dueDate: "2026-12-01",
  notes: null,
  pricesIncludeTax: false,
  fiscalDetails: { anything: "x" },
  items: [{ description: "Diseño", quantity: 2, unitPrice: 10.1, taxCategory: "standard" }],
};

it("offers texts, numbers and days, and never an id or a code", () => {
  const names = groupsOf(PROPOSED).flatMap(({ fields }) => fields.map(({ name, kind }) => `${name} ${kind}`));
  expect(names).toEqual([
    "dueDate day",
    "notes long",
    "description text",
    "quantity number",
    "unitPrice amount",
  ]);
});

it("offers the sender's own words of a mail, the message on several lines", () => {
  const fields = groupsOf({ id: "x", subject: "Aviso", message: "Hola\n" }).flatMap((group) => group.fields);
  expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual(["subject text", "message long"]);
});

it("offers the words of a mail where they were left out, and of nothing else", () => {
  const names = (operation: string) =>
    groupsOf(offeredArguments(operation, { message: "Hola", id: "x", email: "a@b.example" })).flatMap(
      ({ fields }) => fields.map(({ name }) => name),
    );
  expect(names("einvoice.send_email")).toEqual(["email", "subject", "message"]);
  expect(names("invoices.send_invoice")).toEqual(["email", "subject", "message"]);
  expect(names("clients.update")).toEqual(["message", "email"]);
});

it("leaves all that was not typed as it was proposed", () =>
  expect(changedArguments(PROPOSED, typedOf(PROPOSED))).toEqual(PROPOSED));

it("puts what was typed in its place", () => {
  const typed = { ...typedOf(PROPOSED), "items.0.unitPrice": "12.5", dueDate: "", notes: "Gracias" };
  const [line] = PROPOSED["items"] as Arguments[];
  expect(changedArguments(PROPOSED, typed)).toEqual({
    ...PROPOSED,
    dueDate: null,
    notes: "Gracias",
    items: [{ ...line, unitPrice: 12.5 }],
  });
});

it("makes no number of what cannot be read", () => {
  const typed = { ...typedOf(PROPOSED), "items.0.quantity": "dos" };
  const [line] = changedArguments(PROPOSED, typed)["items"] as Arguments[];
  expect(line?.["quantity"]).toBeNaN();
});

import { describe, expect, it } from "vitest";
import { serialized } from "../../api/client";
import { emptyForm, inputOf, isComputable, isReadable, withIssueDate, type InvoiceForm } from "./form";

const DEFAULTS = { taxRate: "21", retentionRate: "" };

function typed(changes: Partial<InvoiceForm["lines"][number]>, form: Partial<InvoiceForm> = {}): InvoiceForm {
  const empty = emptyForm(DEFAULTS);
  const lines = empty.lines.map((line) => ({ ...line, description: "Cartel", unitPrice: "12", ...changes }));
  return { ...empty, client: { ...empty.client, name: "Talleres Norte" }, lines, ...form };
}

describe("another issue date", () => {
  const dated = { ...emptyForm(DEFAULTS), issueDate: "2026-11-24", dueDate: "2026-12-24" };
  it("moves the due date by the term", () =>
    expect(withIssueDate(dated, "2026-11-10", dated.issueDate).dueDate).toBe("2026-12-10"));
  it("leaves it while the date is being typed", () => {
    const emptied = withIssueDate(dated, "", dated.issueDate);
    expect([emptied.issueDate, emptied.dueDate]).toEqual(["", "2026-12-24"]);
    expect(withIssueDate(emptied, "2026-11-25", "2026-11-24").dueDate).toBe("2026-12-25");
  });
});

describe("a date that is not stated", () => {
  it("is sent as none", () => {
    const { issueDate, issueDateStated, dueDate, dueDateStated } = inputOf(typed({}));
    expect([issueDate, issueDateStated, dueDate, dueDateStated]).toEqual([null, false, null, false]);
  });
  it("is stated even if it is the one that was read", () =>
    expect(inputOf(typed({}, { issueDate: "2026-11-24" })).issueDateStated).toBe(true));
});

describe("a number that cannot be read", () => {
  it.each([
    typed({ unitPrice: "12..50" }),
    typed({ quantity: "1,2,3" }),
    typed({ discount: "5o" }),
    typed({}, { retentionRate: "15 por ciento" }),
  ])("is neither computed nor sent", (form) => {
    expect([isReadable(form), isComputable(form)]).toEqual([false, false]);
    expect(() => serialized(inputOf(form))).toThrow();
  });

  it("is not there", () => {
    const form = typed({ unitPrice: "12.50", discount: "", quantity: "" });
    expect([isReadable(form), isComputable(form)]).toEqual([true, true]);
    expect(JSON.parse(serialized(inputOf(form))).items[0].unitPrice).toBe(12.5);
  });
});

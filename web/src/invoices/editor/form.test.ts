import { describe, expect, it } from "vitest";
import { serialized } from "../../api/client";
import { unknownCountry, type Country } from "../../countries/country";
import {
  emptyForm,
  formOf,
  inputOf,
  isComputable,
  isReadable,
  moneyDraftOf,
  surchargesOf,
  taxDay,
  withIssueDate,
  type InvoiceForm,
} from "./form";
import type { Invoice } from "../queries";

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
    const { issueDate, issueDateStated, dueDate, dueDateStated } = inputOf(typed({}), {});
    expect([issueDate, issueDateStated, dueDate, dueDateStated]).toEqual([null, false, null, false]);
  });
  it("is stated even if it is the one that was read", () =>
    expect(inputOf(typed({}, { issueDate: "2026-11-24" }), {}).issueDateStated).toBe(true));
});

describe("a number that cannot be read", () => {
  it.each([
    typed({ unitPrice: "12..50" }),
    typed({ quantity: "1,2,3" }),
    typed({ discount: "5o" }),
    typed({ vat: "7..5" }),
    typed({}, { retentionRate: "15 por ciento" }),
  ])("is neither computed nor sent", (form) => {
    expect([isReadable(form), isComputable(form)]).toEqual([false, false]);
    expect(() => serialized(inputOf(form, {}))).toThrow();
  });

  it("is not there", () => {
    const form = typed({ unitPrice: "12.50", discount: "", quantity: "" });
    expect([isReadable(form), isComputable(form)]).toEqual([true, true]);
    expect(JSON.parse(serialized(inputOf(form, {}))).items[0].unitPrice).toBe(12.5);
  });
});

describe("the surcharge", () => {
  const borne = { surcharge: "yes" } as const;
  const sent = (form: InvoiceForm) => inputOf(form, { "21": "5.2" }).items?.map((item) => item.surchargeRate);

  it("is the one that goes with the rate", () => {
    expect(sent(typed({}, borne))).toEqual([5.2]);
    expect(moneyDraftOf(typed({}, borne), { "21": "5.2" }).lines[0]?.surchargeRate).toBe("5.2");
  });
  it("is none where the rate has none", () => expect(sent(typed({ vat: "10" }, borne))).toEqual([undefined]));
  it("is the one that a line states", () =>
    expect(sent(typed({ surchargeRate: "1.75" }, borne))).toEqual([1.75]));
  it("is left to the server, or taken away", () => {
    expect(sent(typed({}))).toEqual([undefined]);
    expect(sent(typed({}, { surcharge: "no" }))).toEqual([0]);
  });
  it("is that of the document's day", () => {
    const rate = { rate: 5, label: "", source: "" };
    const country: Country = {
      ...unknownCountry("XX"),
      taxRates: [
        { ...rate, validFrom: "2022-07-01", validTo: "2022-12-31", surcharges: [0.5] },
        { ...rate, validFrom: "2023-01-01", validTo: null, surcharges: [0.62] },
      ],
    };
    const offer = { country, today: "2026-11-20" };
    const on = (dates: Partial<InvoiceForm>) => surchargesOf(typed({}, dates), offer)["5"];
    expect(on({})).toBe("0.62");
    expect(on({ issueDate: "2022-12-31" })).toBe("0.5");
    expect(on({ issueDate: "2023-01-05", operationDate: "2022-12-31" })).toBe("0.5");
    expect(taxDay(typed({}), offer)).toBe("2026-11-20");
  });
});

describe("the client's references", () => {
  const references = { purchaseOrder: "PO-7", buyerReference: "L01280796", placeOfSupply: "FR" };

  it("are sent and read back", () => {
    expect(inputOf(typed({}, references), {})).toMatchObject(references);
    const invoice = { ...references, client: {}, items: [], docType: "invoice" } as unknown as Invoice;
    expect(formOf(invoice)).toMatchObject(references);
  });
  it("are none where nothing is typed", () =>
    expect(inputOf(typed({}, { purchaseOrder: " " }), {})).toMatchObject({
      purchaseOrder: null,
      buyerReference: null,
      placeOfSupply: null,
    }));
});

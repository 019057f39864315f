import { describe, expect, it } from "vitest";
import { asForm, asPolicy, withNewRules } from "./policy";

const STORED = {
  asked: "limits" as const,
  upTo: 300.5,
  knownClients: true,
  connections: [{ connection: "a", asked: "app" as const, upTo: null, knownClients: false }],
};

describe("the approval policy as a form", () => {
  it("is the same after being read and typed", () => {
    expect(asPolicy(asForm(STORED))).toEqual(STORED);
  });

  it("sends an amount only with limits", () => {
    expect(asPolicy({ ...asForm(STORED), asked: "host" })).toMatchObject({ upTo: null, knownClients: false });
  });

  it("keeps rules that somebody else has made meanwhile, and takes away only what was there", () => {
    const rule = (asked: "app" | "host") => ({ asked, upTo: "", knownClients: false });
    const read = { ...rule("host"), connections: { a: rule("app"), b: rule("app") } };
    const form = { ...rule("app"), connections: { a: rule("host"), c: rule("host") } };
    const now = {
      ...rule("host"),
      connections: { a: rule("app"), b: rule("app"), c: rule("app"), d: rule("app") },
    };
    expect(withNewRules(form, read, now)).toEqual({
      ...rule("app"),
      connections: { a: rule("host"), c: rule("host"), d: rule("app") },
    });
  });

  it("leaves a missing amount to the server, and lets none through that cannot be read", () => {
    expect(asPolicy({ ...asForm(STORED), upTo: "" }).upTo).toBeNull();
    expect(asPolicy({ ...asForm(STORED), upTo: "mucho" }).upTo).toBeNaN();
  });
});

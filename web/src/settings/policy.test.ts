import { describe, expect, it } from "vitest";
import { asForm, asPolicy } from "./policy";

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

  it("leaves a missing amount to the server, and lets none through that cannot be read", () => {
    expect(asPolicy({ ...asForm(STORED), upTo: "" }).upTo).toBeNull();
    expect(asPolicy({ ...asForm(STORED), upTo: "mucho" }).upTo).toBeNaN();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { impatient, serialized } from "./client";
import { whenPasswordIsNeeded } from "./credentials";
import { NO_CONNECTION, UNREADABLE_NUMBER } from "./problem";

it("writes a body as JSON", () =>
  expect(serialized({ amount: 1.5, notes: null, items: [{ price: 0 }] })).toBe(
    '{"amount":1.5,"notes":null,"items":[{"price":0}]}',
  ));

it.each(["1,2,3", "12..50", "30 días", "1.250,5o"])("never sends %s as anything else", (typed) =>
  expect(() => serialized({ items: [{ unitPrice: Number(typed) }] })).toThrow(
    expect.objectContaining({ code: UNREADABLE_NUMBER }),
  ),
);

describe("a request that somebody waits for", () => {
  const request = () =>
    new Request("http://ledgerkit.test/api/activity/undo", { method: "POST", body: "{}" });

  /** A server that answers the requests one after another; null is no answer. */
  function answerWith(...statuses: (number | null)[]): void {
    const answers = statuses.values();
    vi.stubGlobal("fetch", ({ signal }: Request) => {
      const status = answers.next().value ?? null;
      if (status !== null) return Promise.resolve(new Response("{}", { status }));
      return new Promise((_, refuse) =>
        signal.addEventListener("abort", () => refuse(signal.reason as Error)),
      );
    });
  }

  /** A person who types the password for so many seconds. */
  const typeFor = (seconds: number) =>
    whenPasswordIsNeeded(() => new Promise((answer) => setTimeout(() => answer(true), seconds * 1000)));

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    whenPasswordIsNeeded(null);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("does not count the time in which the password is typed", async () => {
    answerWith(401, 200);
    typeFor(90);
    const answer = impatient(request());
    await vi.advanceTimersByTimeAsync(90_000);
    expect((await answer).status).toBe(200);
  });

  it("is given up after a minute, before the password and after it", async () => {
    typeFor(90);
    for (const [statuses, seconds] of [
      [[null], 60],
      [[401, null], 150],
    ] as const) {
      answerWith(...statuses);
      const ended = vi.fn();
      impatient(request()).catch(ended);
      await vi.advanceTimersByTimeAsync((seconds - 1) * 1000);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(2000);
      expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: NO_CONNECTION }));
    }
  });

  it("ends when whoever sent it takes it back", async () => {
    answerWith(null);
    const sender = new AbortController();
    const answer = impatient(new Request(request(), { signal: sender.signal }));
    sender.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});

import { describe, expect, it } from "vitest";
import {
  asForm,
  asPreferences,
  endsAt,
  HOURS,
  minutesAndSeconds,
  problemOf,
  secondsUntil,
  titleOf,
} from "./words";

const TELEGRAM = { name: "telegram", title: "Telegram", botName: "norte_bot", problem: null };

describe("what a messenger lacks", () => {
  it("is nothing where it works", () => {
    expect(problemOf(TELEGRAM)).toBeNull();
  });

  it("is said in words of ours, also where a newer server knows more of them", () => {
    const said = ["token", "other_poller", "unreachable", "webhook", "asleep"].map((problem) =>
      problemOf({ ...TELEGRAM, problem }),
    );
    expect(said).toEqual([
      "problem_token",
      "problem_other_poller",
      "problem_unreachable",
      "problem_webhook",
      "problem_other",
    ]);
  });

  it("is told before the server has reached it", () => {
    expect(problemOf({ ...TELEGRAM, botName: null })).toBe("notReached");
    expect(problemOf({ ...TELEGRAM, botName: null, problem: "token" })).toBe("problem_token");
  });
});

it("names messengers, also those that are set up no more", () => {
  expect([titleOf("telegram", [TELEGRAM]), titleOf("signal", [TELEGRAM])]).toEqual(["Telegram", "Signal"]);
});

it("counts ten minutes down to nothing", () => {
  const end = Date.parse("2026-11-23T10:10:00Z");
  const left = (at: string) => minutesAndSeconds(secondsUntil(end, Date.parse(at)));
  expect(left("2026-11-23T10:00:00Z")).toBe("10:00");
  expect(left("2026-11-23T10:00:17.200Z")).toBe("9:43");
  expect(left("2026-11-23T10:09:59.999Z")).toBe("0:01");
  expect(left("2026-11-23T11:00:00Z")).toBe("0:00");
});

it("leaves what the server gives, whatever this device takes the time to be", () => {
  const [answered, late] = ["Mon, 23 Nov 2026 10:00:00 GMT", Date.parse("2026-11-23T12:30:00Z")];
  const left = (answeredAt: string | null) =>
    minutesAndSeconds(secondsUntil(endsAt("2026-11-23T10:10:00Z", answeredAt, late), late));
  expect([left(answered), left(null)]).toEqual(["9:58", "0:00"]);
});

describe("what one is sent, as a form", () => {
  const STORED = { digest: true, digestHour: 21, quiet: false, language: "ca" };

  it("is the same after being read and sent", () => {
    expect(asPreferences(asForm(STORED))).toEqual(STORED);
    expect(asPreferences(asForm({ ...STORED, language: null })).language).toBeNull();
    expect(asForm({ digest: true, digestHour: 8, quiet: false }).language).toBe("");
  });

  it("offers every hour", () => {
    expect([HOURS.length, HOURS[0]?.label, HOURS[23]?.value]).toEqual([24, "0:00", "23"]);
  });
});

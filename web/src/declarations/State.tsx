import { daysUntil } from "../texts/days";
import { day } from "../texts/formats";
import { Status, type Tone } from "../ui/notices";
import { useTaxText } from "./texts";

const TONES = { missing: "plain", draft: "info", submitted: "good" } as const;
const SOON = 20;

export function State({ status }: { status: keyof typeof TONES }) {
  const say = useTaxText();
  return <Status tone={TONES[status]}>{say(status)}</Status>;
}

function tone(left: number, isSure: boolean): Tone | "plain" {
  if (!isSure) return "plain";
  if (left < 0) return "bad";
  return left <= SOON ? "caution" : "plain";
}

interface DueDayProps {
  date: string;
  today: string;
  isFiled: boolean;
  /** False where only some have to file the form. */
  isSure?: boolean;
}

/** A due day and how far it is; once filed, only the day. */
export function DueDay({ date, today, isFiled, isSure = true }: DueDayProps) {
  const say = useTaxText();
  const left = daysUntil(date, today);
  const words = left < 0 ? say("dueOver", { count: -left }) : say("dueIn", { count: left });
  return (
    <>
      {day(date)}{" "}
      {!isFiled && <Status tone={tone(left, isSure)}>{left === 0 ? say("dueToday") : words}</Status>}
    </>
  );
}

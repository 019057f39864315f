import { Status, type Tone } from "../ui/notices";
import type { RecordStatus as State } from "./queries";
import { useEinvoiceText } from "./texts";

const TONES: Record<State, Tone | "plain"> = {
  pending: "info",
  unknown: "caution",
  accepted: "good",
  accepted_with_errors: "caution",
  rejected: "bad",
  annulled: "plain",
  kept: "good",
};

export function RecordStatus({ status }: { status: State }) {
  const say = useEinvoiceText();
  return <Status tone={TONES[status]}>{say(status)}</Status>;
}

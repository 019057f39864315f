import { Status, type Tone } from "../ui/notices";
import type { State } from "./queries";
import { useText } from "./texts";

const TONES: Record<State, Tone | "plain"> = {
  pending: "info",
  partial: "caution",
  overdue: "bad",
  paid: "good",
  cancelled: "plain",
};

export function PayableStatus({ status }: { status: State }) {
  const say = useText();
  return <Status tone={TONES[status]}>{say(`status_${status}`)}</Status>;
}

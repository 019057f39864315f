import { Dialog } from "../ui/Dialog";
import { ProblemNotice } from "../ui/notices";
import { useText } from "./texts";

/** The refusal of something that was asked for in a menu. */
export function ProblemDialog({ error, onClose }: { error: unknown; onClose: () => void }) {
  const say = useText();
  return (
    <Dialog title={say("notDone")} onClose={onClose}>
      <ProblemNotice error={error} />
    </Dialog>
  );
}

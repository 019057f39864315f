import { CopyField } from "../ui/CopyField";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/notices";
import { useText } from "./texts";

/** A key that was made, shown this once. */
export function NewKeyDialog({ name, text, onClose }: { name: string; text: string; onClose: () => void }) {
  const say = useText();
  return (
    <Dialog title={say("keyCreated")} onClose={onClose}>
      <div className="stack">
        <Notice tone="caution" title={say("keyShownOnce")} />
        <CopyField label={name} text={text} />
      </div>
    </Dialog>
  );
}

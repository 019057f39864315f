import { Checkbox } from "../../ui/fields";
import { CopyField } from "../../ui/CopyField";
import { ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import { useShare, useUnshare } from "../actions";
import type { Invoice } from "../queries";
import { useText } from "../texts";

/** The public link: on, off, and to be copied. */
export function ShareSwitch({ invoice, mayShare }: { invoice: Invoice; mayShare: boolean }) {
  const say = useText();
  const share = useShare();
  const unshare = useUnshare();
  const isShared = invoice.shareUrl !== null;
  if (!mayShare && !isShared) return null;
  return (
    <Card title={say("share")}>
      <div className="stack">
        <Checkbox
          label={say("shareSwitch")}
          hint={say(isShared ? "shareOn" : "shareOff")}
          checked={share.isPending || (isShared && !unshare.isPending)}
          disabled={!mayShare || share.isPending || unshare.isPending}
          onChange={(isOn) => (isOn ? share.mutate(invoice.id) : unshare.mutate(invoice.id))}
        />
        {invoice.shareUrl !== null && <CopyField label={say("shareLink")} text={invoice.shareUrl} />}
        <ProblemNotice error={share.error ?? unshare.error} />
      </div>
    </Card>
  );
}

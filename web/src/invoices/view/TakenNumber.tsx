import { useState } from "react";
import { useMay } from "../../app/session";
import { day, moment, money } from "../../texts/formats";
import { Button, ButtonLink } from "../../ui/Button";
import { FormDialog } from "../../ui/Dialog";
import { Notice, ProblemNotice } from "../../ui/notices";
import { Facts } from "../../ui/page";
import { toast } from "../../ui/toasts";
import { useWayOut } from "../actions";
import type { EInvoice, Invoice } from "../queries";
import { useText } from "../texts";

type Held = NonNullable<EInvoice["takenBy"]>;

/** What stands at the authority under the number, as it showed it last. */
function WhatStandsThere({ held }: { held: Held }) {
  const say = useText();
  return (
    <Facts
      facts={[
        [say("takenTotal"), held.total !== null && money(held.total)],
        [say("takenDate"), held.issueDate && day(held.issueDate)],
        [say("takenRecipient"), held.recipient && <bdi>{held.recipient}</bdi>],
        [
          say("takenStatus"),
          held.status && say(held.status === "annulled" ? "takenAnnulled" : "takenInForce"),
        ],
        [say("takenHash"), held.hash && <span className="mono">{held.hash}</span>],
        [say("takenAsked"), held.askedAt && moment(held.askedAt)],
      ].map(([name, value]) => [name as string, value === false ? null : value] as const)}
    />
  );
}

interface ReplaceProps {
  invoice: Invoice;
  held: Held;
  onClose: () => void;
}

/** The owner's confirmation: what would be overwritten at the authority, and by what. */
function ReplaceDialog({ invoice, held, onClose }: ReplaceProps) {
  const say = useText();
  const replace = useWayOut(() => {
    toast(say("recordSent"));
    onClose();
  });
  return (
    <FormDialog
      title={say("replaceTitle", { number: invoice.number ?? "" })}
      submit={say("replaceTheirs")}
      kind="danger"
      busy={replace.isPending}
      error={replace.error}
      onSubmit={() => replace.mutate({ invoiceId: invoice.id, replace: true })}
      onClose={onClose}
    >
      <Notice tone="bad" title={say("replaceWarning")} />
      <p>{say("replaceText", { total: money(invoice.total, invoice.currency) })}</p>
      <WhatStandsThere held={held} />
    </FormDialog>
  );
}

/** The authority holds somebody else's document under the invoice's number: why nothing is sent, and the ways out. */
export function TakenNumber({ invoice, record }: { invoice: Invoice; record: EInvoice }) {
  const say = useText();
  const mayEmit = useMay("einvoice:emit");
  const mayReplace = useMay("einvoice:replace");
  const [isReplacing, setReplacing] = useState(false);
  const renumber = useWayOut((result) => toast(say("renumbered", { number: result.number })));
  const held = record.takenBy ?? null;
  const isShown = held !== null && held.hash !== null;
  return (
    <>
      <Notice
        tone="bad"
        title={say("takenTitle", { number: record.number })}
        action={
          <div className="row">
            <ButtonLink to="/einvoice">{say("toEInvoice")}</ButtonLink>
            {mayReplace && isShown && (
              <Button kind="danger" onClick={() => setReplacing(true)}>
                {say("replaceTheirs")}
              </Button>
            )}
            {mayEmit && record.status === "rejected" && (
              <Button
                kind="primary"
                busy={renumber.isPending}
                onClick={() => renumber.mutate({ invoiceId: invoice.id, renumber: true })}
              >
                {say("renumber")}
              </Button>
            )}
          </div>
        }
      >
        <p>{say("takenText")}</p>
        {isShown ? <WhatStandsThere held={held} /> : <p>{say("takenUnseen")}</p>}
      </Notice>
      <ProblemNotice error={renumber.error} />
      {isReplacing && held !== null && (
        <ReplaceDialog invoice={invoice} held={held} onClose={() => setReplacing(false)} />
      )}
    </>
  );
}

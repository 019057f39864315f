import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import type { Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import { useAcceptance } from "./actions";
import { DocumentChanges } from "./ChangedDocuments";
import { Receipt } from "./dialogs";
import type { Declaration } from "./queries";
import { useTaxText } from "./texts";
import { periodName } from "./words";

function Proposal({
  declaration,
  proposal,
  mayChange,
}: {
  declaration: Declaration;
  proposal: Schemas["Proposal"];
  mayChange: boolean;
}) {
  const say = useTaxText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asksReceipt, setAsksReceipt] = useState(false);
  /** Reading it again takes a superseded proposal, and its notice, off the screen: a toast keeps the reason. */
  function refused({ code, detail }: ProblemError): void {
    if (code !== "PROPOSAL_SUPERSEDED") return;
    toast(detail);
    void queries.invalidateQueries({ queryKey: ["declarations"] });
  }
  const acceptance = useAcceptance(({ id }) => {
    setAsksReceipt(false);
    toast(say("proposalDone"));
    if (id !== declaration.id) void navigate(`/tax/${id}`);
  }, refused);
  const accept = (amends: Schemas["Amends"] | null) =>
    acceptance.mutate({ id: declaration.id, proposalId: proposal.id, amends });
  const { form, year, period, amendmentId } = proposal;
  const names = { form, period: periodName(period, year, say) };
  return (
    <li className="stack">
      <p>{proposal.message}</p>
      <DocumentChanges documents={proposal.documents} />
      <div className="row">
        {mayChange && proposal.kind === "deduct_now" && (
          <Button icon="check" busy={acceptance.isPending} onClick={() => accept(null)}>
            {say("deductNow")}
          </Button>
        )}
        {mayChange && proposal.kind !== "deduct_now" && amendmentId === null && (
          <Button icon="edit" onClick={() => setAsksReceipt(true)}>
            {say(proposal.kind, names)}
          </Button>
        )}
        {amendmentId !== null && <Link to={`/tax/${amendmentId}`}>{say("amendmentBegun")}</Link>}
        <Link to={`/tax/${proposal.declarationId}`}>{say("openOf", names)}</Link>
      </div>
      {!asksReceipt && <ProblemNotice error={acceptance.error} />}
      {asksReceipt && (
        <Receipt
          busy={acceptance.isPending}
          error={acceptance.error}
          onSubmit={accept}
          onClose={() => setAsksReceipt(false)}
        />
      )}
    </li>
  );
}

/** What to do about documents of periods that are filed already. */
export function Proposals({ declaration, mayChange }: { declaration: Declaration; mayChange: boolean }) {
  const say = useTaxText();
  if (declaration.proposals.length === 0) return null;
  return (
    <Card title={say("proposals")}>
      <p>{say("proposalsText")}</p>
      <ul className="stack tax-proposals">
        {declaration.proposals.map((proposal) => (
          <Proposal key={proposal.id} declaration={declaration} proposal={proposal} mayChange={mayChange} />
        ))}
      </ul>
    </Card>
  );
}

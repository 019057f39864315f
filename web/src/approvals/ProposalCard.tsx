import { useState } from "react";
import { ProblemError } from "../api/problem";
import { useMay, useTeam } from "../app/session";
import { useActivityName } from "../settings/texts";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { TextArea } from "../ui/fields";
import { Icon } from "../ui/Icon";
import { Notice, ProblemNotice, Status, type Tone } from "../ui/notices";
import { useApprove, useReject } from "./actions";
import "./approvals.css";
import { ChangeDialog } from "./ChangeDialog";
import { Outcome } from "./Outcome";
import type { Proposal, State, WholeProposal } from "./queries";
import { isSame, readSummary } from "./summary";
import { Summary, Touched } from "./Summary";
import { useText } from "./texts";

const TONES: Record<State, Tone | "plain"> = {
  pending: "info",
  approved: "info",
  rejected: "plain",
  expired: "caution",
  superseded: "caution",
  done: "good",
  failed: "bad",
};
const RISKS = { outward: "caution", irreversible: "bad", money: "caution", access: "caution" } as const;
const SOON = 60;
/** Last words of operations whose requests hold something to type; others are only approved or rejected. */
const CHANGEABLE =
  /\.(create|update|pay|move|save|adjust|send_email|send_invoice|annul|credit_note|cancel|open|close)\w*$/;

/** Minutes until a moment; zero once it is past. */
const minutesUntil = (timestamp: string) =>
  Math.max(0, Math.ceil((Date.parse(timestamp) - Date.now()) / 60_000));

function Proposer({ proposal }: { proposal: Proposal }) {
  const say = useText();
  const nameOf = useActivityName();
  const { timezone } = useTeam();
  const { proposedByName: name, proposedByClient: client, channel, expiresAt } = proposal;
  const who = client
    ? say("proposedWith", { name, client })
    : channel === "web"
      ? say("proposedBy", { name })
      : say("proposedOver", { name, channel: nameOf("channel", channel) });
  const minutes = minutesUntil(expiresAt);
  const end =
    minutes <= SOON
      ? say("endsSoon", { count: minutes })
      : say("until", { moment: moment(expiresAt, timezone) });
  return (
    <p className="approval-proposer">
      <bdi>{who}</bdi>
      <time dateTime={proposal.createdAt}>{moment(proposal.createdAt, timezone)}</time>
      {proposal.status === "pending" && (
        <time dateTime={expiresAt} className={minutes <= SOON ? "approval-soon" : undefined}>
          {end}
        </time>
      )}
    </p>
  );
}

function RejectDialog({
  proposal,
  onRejected,
  onClose,
}: {
  proposal: Proposal;
  onRejected: (rejected: WholeProposal) => void;
  onClose: () => void;
}) {
  const say = useText();
  const [reason, setReason] = useState("");
  const reject = useReject(proposal, (rejected) => {
    onClose();
    onRejected(rejected);
  });
  return (
    <FormDialog
      title={say("rejectTitle")}
      submit={say("reject")}
      kind="danger"
      busy={reject.isPending}
      error={reject.error}
      onClose={onClose}
      onSubmit={() => reject.mutate(reason)}
    >
      <TextArea
        label={say("reason")}
        hint={say("reasonHint")}
        maxLength={1000}
        value={reason}
        onChange={setReason}
        error={reject.error?.forField("reason")}
      />
    </FormDialog>
  );
}

interface Decided {
  onDecided: (decided: WholeProposal) => void;
  /** Another proposal has taken the place of this one, whose summary was `seen`. */
  onReplaced: (proposed: WholeProposal, seen: readonly string[]) => void;
}

interface DecisionsProps extends Decided {
  proposal: Proposal;
  approve: Approve;
}

/** The three answers: approve it, change it first, reject it. */
function Decisions({ proposal, approve, onDecided, onReplaced }: DecisionsProps) {
  const say = useText();
  const mayDecide = useMay("approvals:decide");
  const mayPropose = useMay("approvals:propose");
  const [asked, setAsked] = useState<"change" | "reject" | null>(null);
  const close = () => setAsked(null);
  if (!mayDecide) return <p className="soft">{say("viewerOnly")}</p>;
  return (
    <div className="approval-actions">
      <Button
        kind="primary"
        icon="check"
        busy={approve.isPending}
        onClick={() => approve.mutate(proposal.summary)}
      >
        {say("approve")}
      </Button>
      {mayPropose && CHANGEABLE.test(proposal.operation) && (
        <Button icon="edit" onClick={() => setAsked("change")}>
          {say("change")}
        </Button>
      )}
      <Button kind="quiet" icon="close" onClick={() => setAsked("reject")}>
        {say("reject")}
      </Button>
      {asked === "reject" && <RejectDialog proposal={proposal} onRejected={onDecided} onClose={close} />}
      {asked === "change" && (
        <ChangeDialog
          id={proposal.id}
          onReplaced={(proposed) => {
            close();
            onReplaced(proposed, proposal.summary);
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function Marks({ proposal }: { proposal: Proposal }) {
  const say = useText();
  const { risk, status } = proposal;
  return (
    <span className="approval-marks">
      {risk && <Status tone={RISKS[risk]}>{say(`risk_${risk}`)}</Status>}
      {status !== "pending" && <Status tone={TONES[status]}>{say(`status_${status}`)}</Status>}
    </span>
  );
}

/** The summary that the user has approved without its being done, because it is not what would be done now. */
type Seen = readonly string[] | null;

interface ProposalCardProps extends Decided {
  proposal: Proposal;
  /** The summary before the user changed it; what differs is marked. */
  before?: readonly string[] | undefined;
}

type Approve = ReturnType<typeof useApprove>;

/** What stands above the facts where they are not those that were proposed, or that the user has seen. */
function Remark({ proposal, seen, isChanged }: { proposal: Proposal; seen: Seen; isChanged: boolean }) {
  const say = useText();
  if (proposal.status !== "pending") return null;
  if (seen === null) return isChanged ? <Notice title={say("changedByYou")} /> : null;
  return (
    <Notice tone="caution" title={say("anew")}>
      <p>{say(isSame(seen, proposal.summary) ? "anewSame" : "anewText")}</p>
    </Notice>
  );
}

function Note({ note }: { note: string }) {
  const say = useText();
  return (
    <p className="approval-note">
      <Icon name="info" />
      <span className="only-read">{say("note")}: </span>
      <bdi>{note}</bdi>
    </p>
  );
}

/** The answers that a proposal waits for, or what became of it. */
function Answer({ approve, ...decided }: Decided & { proposal: Proposal; approve: Approve }) {
  const say = useText();
  const { proposal, onReplaced } = decided;
  if (proposal.status === "pending") {
    return (
      <>
        <ProblemNotice error={approve.error} />
        <Decisions approve={approve} {...decided} />
      </>
    );
  }
  const refusal = approve.error instanceof ProblemError ? approve.error : null;
  return (
    <>
      {refusal?.code === "APPROVAL_DECIDED" && <p className="soft">{say("decidedMeanwhile")}</p>}
      <Outcome
        proposal={proposal}
        isFresh={approve.isSuccess || approve.isError}
        onProposed={(proposed) => onReplaced(proposed, proposal.summary)}
      />
    </>
  );
}

/** A proposal that a person checks at a glance and answers; and what became of it. */
export function ProposalCard({ proposal, before, onDecided, onReplaced }: ProposalCardProps) {
  const [seen, setSeen] = useState<Seen>(null);
  const approve = useApprove(proposal, { onDone: onDecided, onChanged: setSeen });
  const reading = readSummary(proposal.summary);
  const earlier = proposal.status === "pending" ? (seen ?? before ?? null) : null;
  return (
    <article className="card approval" aria-labelledby={`approval-${proposal.id}`}>
      <header className="approval-head">
        <Marks proposal={proposal} />
        <h2 id={`approval-${proposal.id}`} lang={proposal.language}>
          <bdi>{reading.effect}</bdi>
        </h2>
        <Proposer proposal={proposal} />
      </header>
      <Remark proposal={proposal} seen={seen} isChanged={before !== undefined} />
      {proposal.note && <Note note={proposal.note} />}
      <Summary proposal={proposal} reading={reading} before={earlier && readSummary(earlier)} />
      <Touched proposal={proposal} />
      <Answer proposal={proposal} approve={approve} onDecided={onDecided} onReplaced={onReplaced} />
    </article>
  );
}

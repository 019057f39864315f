import { useEffect, useRef, type ReactNode } from "react";
import { ProblemError, type FieldError } from "../api/problem";
import { useMay, useTeam } from "../app/session";
import { useActivityName } from "../settings/texts";
import { moment } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { Notice, ProblemNotice, type Tone } from "../ui/notices";
import { useProposeAgain } from "./actions";
import { useRecordName, type Proposal, type WholeProposal } from "./queries";
import { placeOf } from "./records";
import { useText } from "./texts";

interface OutcomeProps {
  proposal: Proposal;
  /** It came about just now, by a button of the card: the focus goes to it. */
  isFresh: boolean;
  onProposed: (proposed: WholeProposal) => void;
}

const DELETES = /\.(delete|remove|deactivate)\w*$/;

/** The record that was made, by its number or name, and the way to it. */
function Made({ result }: { result: NonNullable<Proposal["result"]> }) {
  const say = useText();
  const nameOf = useActivityName();
  const name = useRecordName(result);
  const place = placeOf(result);
  const kind = nameOf("entity", result.type);
  if (place === null) return null;
  return (
    <ButtonLink to={place} icon="eye">
      {say("open")}: {kind} {name && <bdi>{name}</bdi>}
    </ButtonLink>
  );
}

/** The problem with which it failed, as the server stored it. */
function Failure({ problem }: { problem: NonNullable<Proposal["problem"]> }) {
  const { detail, remedy, code, errors } = problem as Readonly<Record<string, unknown>>;
  const told = new ProblemError({
    status: 409,
    code: String(code ?? ""),
    detail: String(detail ?? ""),
    remedy: typeof remedy === "string" ? remedy : null,
    errors: Array.isArray(errors) ? (errors as FieldError[]) : [],
  });
  return <ProblemNotice error={told} />;
}

function ProposeAgain({ proposal, onProposed }: Pick<OutcomeProps, "proposal" | "onProposed">) {
  const say = useText();
  const mayPropose = useMay("approvals:propose");
  const again = useProposeAgain(onProposed);
  if (!mayPropose) return null;
  return (
    <>
      <Button icon="refresh" busy={again.isPending} onClick={() => again.mutate(proposal.id)}>
        {say("proposeAgain")}
      </Button>
      <span className="soft">{say("proposeAgainHint")}</span>
      <ProblemNotice error={again.error} />
    </>
  );
}

/** Why it is no longer valid: the records that have changed, by their kinds and names, or the reason in words. */
function useEnd({ problem }: Proposal): string {
  const say = useText();
  const { changed, detail } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(changed) && changed.length > 0) return say("superseded", { records: changed.join(", ") });
  return typeof detail === "string" ? say("supersededFor", { reason: detail }) : say("supersededPlain");
}

function useWords({ proposal }: OutcomeProps): { tone: Tone; title: string; text?: ReactNode } {
  const say = useText();
  const { timezone } = useTeam();
  const end = useEnd(proposal);
  const values = { name: proposal.decidedByName ?? "", moment: moment(proposal.decidedAt, timezone) };
  switch (proposal.status) {
    case "done":
      return { tone: proposal.problem ? "caution" : "good", title: say("done"), text: say("doneBy", values) };
    case "approved":
      return { tone: "info", title: say("beingDone") };
    case "rejected":
      return { tone: "info", title: say("rejectedBy", values), text: proposal.reason };
    case "failed":
      return { tone: "bad", title: say("failedBy", values) };
    case "expired":
      return {
        tone: "caution",
        title: say("expiredAt", { moment: moment(proposal.expiresAt, timezone) }),
      };
    default:
      return { tone: "caution", title: end };
  }
}

/** What became of a proposal, what it made, and what can be done where it came to nothing. */
export function Outcome(props: OutcomeProps) {
  const { proposal, isFresh, onProposed } = props;
  const place = useRef<HTMLDivElement>(null);
  const { tone, title, text } = useWords(props);
  const { status, result, problem, operation } = proposal;
  useEffect(() => {
    if (isFresh) place.current?.focus();
  }, [isFresh, status]);
  return (
    <div className="approval-outcome" ref={place} tabIndex={-1} role="status">
      <Notice tone={tone === "bad" ? "caution" : tone} title={title}>
        {text && (
          <p>
            <bdi>{text}</bdi>
          </p>
        )}
      </Notice>
      {problem && status !== "superseded" && <Failure problem={problem} />}
      {status === "done" && result && !DELETES.test(operation) && (
        <div className="row">
          <Made result={result} />
        </div>
      )}
      {["expired", "superseded", "failed"].includes(status) && (
        <div className="row approval-again">
          <ProposeAgain proposal={proposal} onProposed={onProposed} />
        </div>
      )}
    </div>
  );
}

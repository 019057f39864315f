import { Link } from "react-router";
import { useActivityName } from "../settings/texts";
import { Icon } from "../ui/Icon";
import { Status } from "../ui/notices";
import type { Proposal } from "./queries";
import { placeOf } from "./records";
import { differenceOf, goneSince, isTotal, isWarning, type Fact, type Reading } from "./summary";
import { useText } from "./texts";

function look(fact: Fact, isDifferent: boolean): string | undefined {
  const words = [
    isTotal(fact) && "approval-total",
    isWarning(fact) && "approval-warning",
    isDifferent && "approval-different",
  ];
  return words.filter(Boolean).join(" ") || undefined;
}

function FactLine({ fact, before }: { fact: Fact; before: readonly Fact[] | null }) {
  const say = useText();
  const { label, value } = fact;
  const difference = before && differenceOf(fact, before);
  const was = difference?.was ?? null;
  return (
    <div className={look(fact, difference !== null)}>
      <dt>{label}</dt>
      <dd>
        {isWarning(fact) && <Icon name="alert" />}
        <bdi>{value}</bdi>
        {difference && (
          <span className="approval-was">
            {was === null ? <Status tone="caution">{say("isNew")}</Status> : null}
            {was !== null && <bdi>{say("was", { value: was })}</bdi>}
          </span>
        )}
      </dd>
    </div>
  );
}

interface SummaryProps {
  proposal: Proposal;
  reading: Reading;
  /** The summary that the user has seen before; what differs from it is marked. */
  before: Reading | null;
}

/** The facts that a person decides by, what differs from before, and whether it can be undone. */
export function Summary({ proposal, reading, before }: SummaryProps) {
  const say = useText();
  const gone = before === null ? [] : goneSince(before.facts, reading.facts);
  return (
    <div className="approval-summary" lang={proposal.language}>
      {reading.facts.length > 0 && (
        <dl className="facts approval-facts">
          {reading.facts.map((fact, place) => (
            <FactLine key={`${place} ${fact.label}`} fact={fact} before={before && before.facts} />
          ))}
        </dl>
      )}
      {gone.map(({ label, value }) => (
        <p key={label + value} className="soft">
          <bdi>{say("gone", { fact: `${label}: ${value}` })}</bdi>
        </p>
      ))}
      {reading.afterwards && (
        <p
          className={`approval-afterwards ${proposal.risk === "irreversible" ? "approval-final" : ""}`.trim()}
        >
          <Icon name={proposal.risk === "irreversible" ? "lock" : "info"} />
          <bdi>{reading.afterwards}</bdi>
        </p>
      )}
    </div>
  );
}

/** The records that it touches, each with the way to it. */
export function Touched({ proposal }: { proposal: Proposal }) {
  const say = useText();
  const nameOf = useActivityName();
  if (proposal.evidence.length === 0) return null;
  return (
    <p className="approval-touched">
      <span className="soft">{say("touches")}: </span>
      {proposal.evidence.map((record, number) => {
        const words = [nameOf("entity", record.type), record.label].filter(Boolean).join(" ");
        const place = placeOf(record);
        return (
          <span key={record.type + record.id}>
            {number > 0 && ", "}
            <bdi>{place === null ? words : <Link to={place}>{words}</Link>}</bdi>
          </span>
        );
      })}
    </p>
  );
}

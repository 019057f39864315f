import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client";
import { useMay, useTeam } from "../app/session";
import { day, decimal, moment, money } from "../texts/formats";
import { Button } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card, Facts } from "../ui/page";
import { toast } from "../ui/toasts";
import { useChainCheck, useEmission } from "./actions";
import { ContinueChain } from "./ContinueChain";
import { ExportRecords } from "./ExportRecords";
import { ModeCard } from "./ModeCard";
import { useChains, type Chain, type Providers } from "./queries";
import { Certificate } from "./Standing";
import { useRemedy } from "../ui/remedies";
import { useEinvoiceText } from "./texts";

function Health({ check, alarm }: { check: Schemas["ChainCheck"] | null; alarm: Chain["alarm"] }) {
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  const broken = alarm ?? check?.firstBreak ?? null;
  if (broken) {
    return (
      <Notice tone="bad" title={say("chainBroken", { position: broken.position ?? "?", code: broken.code })}>
        <p>{broken.message}</p>
        <p>{say("chainBrokenText")}</p>
      </Notice>
    );
  }
  if (check === null) return <p className="soft">{say("chainUnchecked")}</p>;
  return (
    <Notice
      tone="good"
      title={say("chainFine", {
        count: check.records,
        records: decimal(check.records),
        moment: moment(check.checkedAt, timezone),
      })}
    >
      <p>{say("chainCheckedPart", { first: check.firstPosition, last: check.lastPosition })}</p>
    </Notice>
  );
}

function Unrecorded({ documents }: { documents: readonly Schemas["UnrecordedDocument"][] }) {
  const inWords = useRemedy();
  const say = useEinvoiceText();
  const mayEmit = useMay("einvoice:emit");
  const emission = useEmission((result) =>
    toast(say("sent", { number: result.number, status: say(result.status) })),
  );
  return (
    <Notice tone="caution" title={say("unrecorded", { count: documents.length })}>
      <ul className="stack">
        {documents.map((document) => (
          <li key={document.invoiceId}>
            <Link to={`/invoices/${document.invoiceId}`}>{document.number}</Link> {day(document.issueDate)}
            <p>{inWords(document.remedy)}</p>
            {mayEmit && !document.deleted && (
              <Button
                busy={emission.isPending}
                onClick={() => emission.mutate({ invoiceId: document.invoiceId, correct: false })}
              >
                {say("unrecordedEmit")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ProblemNotice error={emission.error} />
    </Notice>
  );
}

function Imported({
  count,
  documents,
}: {
  count: number;
  documents: readonly Schemas["ImportedDocument"][];
}) {
  const inWords = useRemedy();
  const say = useEinvoiceText();
  const more = count - documents.length;
  return (
    <Notice tone="caution" title={say("importedSince", { count })}>
      <ul className="stack">
        {documents.map((document) => (
          <li key={document.invoiceId}>
            <Link to={`/invoices/${document.invoiceId}`}>{document.number}</Link> {day(document.issueDate)}
            <p>{inWords(document.remedy)}</p>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{say("importedMore", { count: more })}</p>}
    </Notice>
  );
}

function LostDocuments({ documents }: { documents: Chain["lostDocuments"] }) {
  const say = useEinvoiceText();
  return (
    <Notice tone="caution" title={say("lostDocuments", { count: documents.length })}>
      <p>{say("lostDocumentsText")}</p>
      <ul className="stack">
        {documents.map((document) => (
          <li key={document.number}>
            {document.number}{" "}
            {document.held ? (
              <>
                {day(document.issueDate)} {document.total !== null && money(document.total)}{" "}
                {document.status && say(document.status as "accepted" | "accepted_with_errors" | "annulled")}
              </>
            ) : (
              say("lostNotHeld")
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function ChainFacts({ chain }: { chain: Chain }) {
  const say = useEinvoiceText();
  const { timezone } = useTeam();
  const { head, continuedFrom } = chain;
  return (
    <Facts
      facts={[
        [say("recordCount"), decimal(chain.positions)],
        [say("lastRecord"), head && `${head.number} (${day(head.issueDate)})`],
        [say("issuer"), chain.issuerTaxId],
        [say("environment"), say(chain.environment as "sandbox" | "test" | "production")],
        [say("startedOn"), moment(chain.createdAt, timezone)],
        [say("continuedFrom"), continuedFrom && `${continuedFrom.number} (${day(continuedFrom.issueDate)})`],
        [say("closedOn"), moment(chain.closedAt, timezone)],
        [say("closedReason"), chain.closedReason],
        [say("installation"), <span className="mono">{chain.installationNumber}</span>],
      ]}
    />
  );
}

function OpenChain({ chain }: { chain: Chain }) {
  const say = useEinvoiceText();
  const check = useChainCheck();
  const shown = check.data?.verification ?? chain.lastCheck;
  const unrecorded = check.data?.unrecorded?.documents ?? [];
  const imported = check.data?.unrecorded?.imported ?? [];
  const importedCount = check.data?.unrecorded?.importedCount ?? 0;
  return (
    <Card
      title={say("chainHealth")}
      actions={
        <Button icon="check" busy={check.isPending} onClick={() => check.mutate(chain.positions)}>
          {say("chainCheck")}
        </Button>
      }
    >
      <div className="stack" aria-live="polite">
        <ProblemNotice error={check.error} />
        <Health check={shown} alarm={chain.alarm} />
        {unrecorded.length > 0 && <Unrecorded documents={unrecorded} />}
        {importedCount > 0 && <Imported count={importedCount} documents={imported} />}
        {chain.lostDocuments.length > 0 && <LostDocuments documents={chain.lostDocuments} />}
        <ChainFacts chain={chain} />
      </div>
    </Card>
  );
}

function NoChain() {
  const say = useEinvoiceText();
  const mayManage = useMay("einvoice:manage");
  const [isContinuing, setContinuing] = useState(false);
  return (
    <Card title={say("chainHealth")}>
      <div className="stack">
        <p>{say("noChain")}</p>
        {mayManage && (
          <p>
            <Button onClick={() => setContinuing(true)}>{say("continueChain")}</Button>
          </p>
        )}
      </div>
      {isContinuing && <ContinueChain onClose={() => setContinuing(false)} />}
    </Card>
  );
}

function Chains({ chains }: { chains: readonly Chain[] }) {
  const say = useEinvoiceText();
  const open = chains.find((chain) => chain.closedAt === null);
  const former = chains.filter((chain) => chain !== open);
  return (
    <>
      {open && (open.positions > 0 || open.continuedFrom) ? <OpenChain chain={open} /> : <NoChain />}
      {former.length > 0 && (
        <Card title={say("formerChains")}>
          <div className="stack">
            {former.map((chain) => (
              <ChainFacts key={chain.installationNumber} chain={chain} />
            ))}
          </div>
        </Card>
      )}
    </>
  );
}

/** The chain, the mode, the certificate, and the export for an inspection. */
export function ChainView({ certificate }: { certificate: Providers["certificate"] }) {
  const say = useEinvoiceText();
  const chains = useChains();
  return (
    <>
      <Loaded query={chains} lines={8}>
        {(loaded) => <Chains chains={loaded.chains} />}
      </Loaded>
      <div className="columns">
        <ModeCard />
        <Card title={say("certificate")}>
          <Certificate certificate={certificate} />
        </Card>
        <ExportRecords />
      </div>
    </>
  );
}

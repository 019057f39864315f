import { useState } from "react";
import { ButtonLink } from "../ui/Button";
import { FilterTabs, Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Page } from "../ui/page";
import { ProposalCard } from "./ProposalCard";
import { useProposals, type Proposal, type State } from "./queries";
import { useText } from "./texts";

/** Views of the inbox by their word in the address; without one, what waits. */
const VIEWS: Readonly<Record<string, State | null>> = {
  "": "pending",
  done: "done",
  rejected: "rejected",
  all: null,
};

/** What was decided on this screen stays where it was, until the view is left. */
function together(listed: readonly Proposal[], own: readonly Proposal[]): Proposal[] {
  const isOpen = ({ status }: Proposal) => status === "pending";
  const byId = new Map(
    [...own.filter(isOpen), ...listed, ...own.filter((row) => !isOpen(row))].map((row) => [row.id, row]),
  );
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}

function Empty({ isPending }: { isPending: boolean }) {
  const say = useText();
  if (!isPending) return <EmptyState icon="check" title={say("noneOfThese")} />;
  const connect = (
    <ButtonLink icon="spark" to="/settings/assistants">
      {say("connect")}
    </ButtonLink>
  );
  return (
    <EmptyState icon="check" title={say("nonePending")} action={connect}>
      {say("nonePendingText")}
    </EmptyState>
  );
}

function View({ status, page }: { status: State | null; page: number }) {
  const proposals = useProposals(status, page);
  const [own, setOwn] = useState<readonly Proposal[]>([]);
  const [seen, setSeen] = useState<Readonly<Record<string, readonly string[]>>>({});
  return (
    <Loaded query={proposals} lines={10}>
      {(data) => {
        const rows = together(data.items, own);
        if (rows.length === 0) return <Empty isPending={status === "pending"} />;
        return (
          <>
            <div className="approvals">
              {rows.map((proposal) => (
                <ProposalCard
                  key={proposal.id}
                  proposal={proposal}
                  before={seen[proposal.id]}
                  onDecided={(done) => setOwn((before) => [...before, done])}
                  onReplaced={(proposed, summary) => {
                    setOwn((before) => [...before, proposed]);
                    setSeen((before) => ({ ...before, [proposed.id]: summary }));
                  }}
                />
              ))}
            </div>
            <Pager {...data} />
          </>
        );
      }}
    </Loaded>
  );
}

/** What waits for a person's approval, and what was decided. */
export function Inbox() {
  const say = useText();
  const { get, page } = useFilters();
  const view = get("status") ?? "";
  const tabs = [
    { value: "", label: say("pendingTab") },
    { value: "done", label: say("doneTab") },
    { value: "rejected", label: say("rejectedTab") },
    { value: "all", label: say("allTab") },
  ];
  return (
    <Page title={say("title")} lead={say("lead")}>
      <FilterTabs label={say("status")} name="status" tabs={tabs} />
      <View key={`${view} ${page}`} status={VIEWS[view] ?? (view in VIEWS ? null : "pending")} page={page} />
    </Page>
  );
}

import { useState, type KeyboardEvent } from "react";
import { isNoConnection } from "../../api/problem";
import { useDraft } from "../../app/drafts";
import { useMay, useTeam } from "../../app/session";
import { showUnreadable } from "../../ui/unreadable";
import { useScanner } from "../../ui/useScanner";
import { decimal } from "../../texts/formats";
import { Button, ButtonLink } from "../../ui/Button";
import { DecimalField } from "../../ui/DecimalField";
import { Pager, SearchField, useFilters } from "../../ui/filters";
import { Loaded } from "../../ui/Loaded";
import { EmptyState, Notice, ProblemNotice } from "../../ui/notices";
import { Card, Page } from "../../ui/page";
import { Table } from "../../ui/Table";
import { useItems } from "../queries";
import { useText } from "../texts";
import { useWriteDifferences } from "./actions";
import {
  countables,
  difference,
  differences,
  unreadable,
  withCount,
  without,
  type Countable,
  type Counts,
  type Difference,
} from "./counts";

const NO_COUNTS: Counts = {};
const signed = (amount: string) => (amount.startsWith("-") ? decimal(amount) : `+${decimal(amount)}`);

/** Enter goes on to the next field, as one counts along a shelf. */
function goOn(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const fields = [...event.currentTarget.querySelectorAll<HTMLInputElement>("input")];
  fields[fields.indexOf(event.target) + 1]?.focus();
}

interface TableProps {
  rows: readonly Countable[];
  counts: Counts;
  isLocked: boolean;
  onCount: (countable: Countable, counted: string) => void;
}

function CountTable({ rows, counts, isLocked, onCount }: TableProps) {
  const say = useText();
  return (
    <div onKeyDown={goOn} role="presentation">
      <Table
        caption={say("stockTaking")}
        rows={rows}
        rowKey={(row) => row.key}
        columns={[
          {
            key: "name",
            title: say("name"),
            isName: true,
            cell: (row) => (
              <>
                <bdi>{row.name}</bdi> {row.detail && <small className="item-detail">{row.detail}</small>}
              </>
            ),
          },
          {
            key: "books",
            title: say("byTheBooks"),
            isFigure: true,
            cell: (row) => (row.stock === null ? say("notTracked") : decimal(row.stock)),
          },
          {
            key: "counted",
            title: say("counted"),
            cell: (row) => (
              <DecimalField
                label={say("countedOf", { name: row.name })}
                hideLabel
                disabled={isLocked}
                value={counts[row.key]?.counted ?? ""}
                onChange={(counted) => onCount(row, counted)}
              />
            ),
          },
          {
            key: "difference",
            title: say("difference"),
            isFigure: true,
            cell: (row) => <Found countable={row} counts={counts} />,
          },
        ]}
      />
    </div>
  );
}

function Found({ countable, counts }: { countable: Countable; counts: Counts }) {
  const say = useText();
  const count = counts[countable.key];
  const found = count === undefined ? null : difference(count);
  if (count === undefined || found === null) return null;
  const hasMoved = count.expected !== (countable.stock ?? "0");
  return (
    <>
      {signed(found)}
      {hasMoved && (
        <small className="item-detail">{say("movedSince", { stock: decimal(count.expected) })}</small>
      )}
    </>
  );
}

function DifferenceList({ of }: { of: readonly Difference[] }) {
  return (
    <ul>
      {of.map((entry) => (
        <li key={entry.key}>
          <bdi>{entry.name}</bdi>: {signed(entry.adjustment)}
        </li>
      ))}
    </ul>
  );
}

function useStockTaking() {
  const team = useTeam();
  const [counts, setCounts, forget] = useDraft<Counts>(`${team.id}.stock-taking`, NO_COUNTS);
  const [written, setWritten] = useState<readonly Difference[]>([]);
  const [isDone, setDone] = useState(false);
  const writing = useWriteDifferences(
    (part) => {
      setWritten((before) => [...before, ...part]);
      setCounts((before) =>
        without(
          before,
          part.map((written) => written.key),
        ),
      );
    },
    () => {
      setCounts(NO_COUNTS);
      forget();
      setDone(true);
    },
  );
  function count(countable: Countable, counted: string): void {
    if (isDone) setWritten([]);
    setDone(false);
    setCounts((before) => withCount(before, countable, counted));
  }
  return { counts, count, written, isDone, writing, startAnew: () => setCounts(NO_COUNTS) };
}

/** Counting what is in stock: by page, by search or by scanner, and writing the differences at once. */
export function StockTaking() {
  const say = useText();
  const mayWrite = useMay("catalog:write");
  const { get, set, page } = useFilters();
  const items = useItems({ view: "all", search: get("search"), category: null, page });
  const { counts, count, written, isDone, writing, startAnew } = useStockTaking();
  const found = differences(counts);
  const doubtful = unreadable(counts);
  const counted = Object.keys(counts).length;
  useScanner((search) => set({ search }));
  if (!mayWrite) return <EmptyState icon="lock" title={say("stockTakingNotYours")} />;
  const back = (
    <ButtonLink icon="left" to="/catalog">
      {say("title")}
    </ButtonLink>
  );
  return (
    <Page title={say("stockTaking")} lead={say("stockTakingLead")} actions={back}>
      <div className="row">
        <SearchField label={say("search")} />
      </div>
      <Card>
        <Loaded query={items} lines={10}>
          {(loaded) => (
            <>
              <CountTable
                rows={loaded.items.flatMap(countables)}
                counts={counts}
                isLocked={writing.isPending || isNoConnection(writing.error)}
                onCount={count}
              />
              <Pager page={page} pageSize={loaded.pageSize} total={loaded.total} />
            </>
          )}
        </Loaded>
      </Card>
      <Card title={say("differences")}>
        <div className="stack" aria-live="polite">
          {isDone && (
            <Notice
              tone="good"
              title={say(written.length === 0 ? "nothingDiffers" : "differencesWritten", {
                count: String(written.length),
              })}
            >
              <DifferenceList of={written} />
            </Notice>
          )}
          {!isDone && <p>{say("countedSoFar", { counted: String(counted), found: String(found.length) })}</p>}
          <DifferenceList of={found} />
          {doubtful.length > 0 && (
            <Notice tone="caution" title={say("countUnreadable")}>
              <ul>
                {doubtful.map((count) => (
                  <li key={count.name}>
                    <bdi>{count.name}</bdi>: <bdi>{count.counted}</bdi>
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          <ProblemNotice error={writing.error} />
          <div className="row">
            <Button
              kind="primary"
              icon="check"
              busy={writing.isPending}
              disabled={counted === 0}
              onClick={() => (doubtful.length > 0 ? showUnreadable() : writing.mutate(found))}
            >
              {say("writeDifferences")}
            </Button>
            {counted > 0 && !isNoConnection(writing.error) && (
              <Button icon="undo" onClick={startAnew}>
                {say("countAnew")}
              </Button>
            )}
          </div>
        </div>
      </Card>
    </Page>
  );
}

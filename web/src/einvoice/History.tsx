import type { Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Dialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { useHistory, type FiscalRecord } from "./queries";
import { RecordStatus } from "./RecordStatus";
import { useEinvoiceText } from "./texts";

const EVENTS = { sealed: "sealed", sent: "sentEvent", answered: "answered" } as const;

function Entry({ entry, environment }: { entry: Schemas["HistoryEntry"]; environment: string }) {
  const say = useEinvoiceText(environment);
  const { timezone } = useTeam();
  return (
    <li>
      <p>
        <strong>{say(EVENTS[entry.event])}</strong> ({say(entry.kind)}){" "}
        {entry.status && <RecordStatus status={entry.status} />}
      </p>
      <p className="soft">{moment(entry.at, timezone)}</p>
      {entry.code && <p>{say("aeatCode", { code: entry.code })}</p>}
      {entry.message && <p>{say("aeatSays", { message: entry.message })}</p>}
      {entry.reason && (
        <p>
          {say("annulReason")}: <bdi>{entry.reason}</bdi>
        </p>
      )}
    </li>
  );
}

/** All that happened to the records of one invoice, by time. */
export function History({ record, onClose }: { record: FiscalRecord; onClose: () => void }) {
  const say = useEinvoiceText();
  const history = useHistory(record.invoiceId);
  return (
    <Dialog title={say("historyOf", { number: record.number })} place="side" onClose={onClose}>
      <Loaded query={history} lines={8}>
        {(status) => (
          <ol className="fiscal-history">
            {status.history.map((entry) => (
              <Entry
                key={entry.record + entry.event + entry.at}
                entry={entry}
                environment={record.environment}
              />
            ))}
          </ol>
        )}
      </Loaded>
    </Dialog>
  );
}

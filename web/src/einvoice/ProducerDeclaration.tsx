import type { Schemas } from "../api/client";
import { day, dayOrMonth } from "../texts/formats";
import { Loaded } from "../ui/Loaded";
import { Notice, Status } from "../ui/notices";
import { Card } from "../ui/page";
import { useProducerDeclaration, type Providers } from "./queries";
import { useEinvoiceText } from "./texts";

function Items({ items }: { items: readonly Schemas["DeclaredItem"][] }) {
  return (
    <dl className="declared">
      {items.map((item) => (
        <div key={item.key}>
          <dt>
            {item.key}) {item.text}
          </dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Change = Schemas["AnnouncementShown"] | null;

/** A change that is announced and not law: marked as that, whatever else is known of it. */
function Announced({ sentence, change }: { sentence: string; change: Change }) {
  const say = useEinvoiceText();
  const known = change?.from
    ? say("announced", { day: dayOrMonth(change.from), source: change.source })
    : sentence;
  return (
    <div>
      <Status tone="caution">{say("notEnacted")}</Status> {known}
    </div>
  );
}

/** What the producer of this software declares about it, item by item, and since when the law wants it. */
export function ProducerDeclaration({ obligations }: { obligations: Providers["obligations"] }) {
  const say = useEinvoiceText();
  const declaration = useProducerDeclaration();
  return (
    <>
      <Loaded query={declaration} lines={12}>
        {(loaded) => (
          <Card title={loaded.title}>
            <div className="stack" lang={loaded.language}>
              <p className="soft">{say("producerVersion", { version: loaded.version })}</p>
              {loaded.notice && <Notice tone="caution" title={loaded.notice} />}
              <Items items={loaded.items} />
              {loaded.annex.length > 0 && <h3>{say("annex")}</h3>}
              <Items items={loaded.annex} />
              <p className="soft">
                {say("producerDigest")}: <span className="mono">{loaded.digest}</span>
              </p>
            </div>
          </Card>
        )}
      </Loaded>
      {obligations.length > 0 && (
        <Card title={say("obligations")}>
          <ul>
            {obligations.map((obligation) => (
              <li key={obligation.who}>
                {say("obligation", {
                  who: obligation.who,
                  day: day(obligation.from),
                  source: obligation.source,
                })}
                {obligation.announced && (
                  <Announced sentence={obligation.announced} change={obligation.announcement} />
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

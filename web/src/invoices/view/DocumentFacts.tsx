import { Link } from "react-router";
import { useOffer } from "../../countries/queries";
import { reasonName } from "../../countries/taxes";
import { day } from "../../texts/formats";
import { Facts } from "../../ui/page";
import { nameless, type Invoice } from "../queries";
import { useText } from "../texts";

function ClientName({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const { client, clientId } = invoice;
  if (client.name === null) return say(nameless(invoice));
  const address = [client.address, [client.postalCode, client.city].filter(Boolean).join(" ")];
  const lines = [client.taxId, ...address, client.email].filter(Boolean);
  return (
    <>
      {clientId === null ? (
        <bdi>{client.name}</bdi>
      ) : (
        <Link to={`/clients/${clientId}`}>
          <bdi>{client.name}</bdi>
        </Link>
      )}
      {lines.map((line) => (
        <span key={line} className="fact-line soft">
          <bdi>{line}</bdi>
        </span>
      ))}
    </>
  );
}

function Links({ ids, text }: { ids: readonly string[]; text: string }) {
  return ids.map((id, place) => (
    <span key={id}>
      {place > 0 && " · "}
      <Link to={`/invoices/${id}`}>{ids.length > 1 ? `${text} ${place + 1}` : text}</Link>
    </span>
  ));
}

/** What the document says besides its lines. */
export function DocumentFacts({ invoice }: { invoice: Invoice }) {
  const say = useText();
  const reason = invoice.correctionReason;
  const offer = useOffer(reason !== null);
  const method = invoice.correctionMethod;
  return (
    <Facts
      facts={[
        [say("client"), <ClientName key="client" invoice={invoice} />],
        [
          say("issueDate"),
          invoice.issueDateStated
            ? day(invoice.issueDate)
            : say("dayOfIssue", { day: day(invoice.issueDate) }),
        ],
        [say("operationDate"), day(invoice.operationDate)],
        [say("dueDate"), day(invoice.dueDate)],
        [
          say("rectifies"),
          invoice.rectifies && <Links key="rectifies" ids={[invoice.rectifies]} text={say("original")} />,
        ],
        [say("reason"), reason && reasonName(offer.data?.country, reason)],
        [say("creditMethod"), method && say(`method_${method}`)],
        [
          say("rectifiedBy"),
          invoice.rectifiedBy.length > 0 && (
            <Links key="rectifiedBy" ids={invoice.rectifiedBy} text={say("creditNote")} />
          ),
        ],
        [
          say("substitutedBy"),
          invoice.substitutedBy && (
            <Links key="substitutedBy" ids={[invoice.substitutedBy]} text={say("kind_invoice")} />
          ),
        ],
        [say("purchaseOrder"), invoice.purchaseOrder],
        [say("buyerReference"), invoice.buyerReference],
        [say("placeOfSupply"), invoice.placeOfSupply],
        [say("notes"), invoice.notes && <span className="as-typed">{invoice.notes}</span>],
        [say("terms"), invoice.terms && <span className="as-typed">{invoice.terms}</span>],
      ].map(([name, value]) => [String(name), value === false ? null : value] as const)}
    />
  );
}

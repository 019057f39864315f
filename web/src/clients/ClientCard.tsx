import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import type { Versioned } from "../api/client";
import { useMay, useTeam } from "../app/session";
import { InvoiceTable } from "../invoices/InvoiceTable";
import { matchingClients } from "../invoices/editor/matches";
import { useInvoices } from "../invoices/queries";
import "../invoices/invoices.css";
import { MergeDialog } from "../merging/MergeDialog";
import { country, money, percent } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Doubts } from "../ui/Doubts";
import { Loaded } from "../ui/Loaded";
import { Card, Facts, Page } from "../ui/page";
import { useUiText } from "../ui/texts";
import { toast } from "../ui/toasts";
import { mergeClients, useDeleteClient } from "./actions";
import { ClientDialog } from "./ClientDialog";
import { useClient, type Client } from "./queries";
import { useText } from "./texts";

const FEW = 10;

function Details({ client }: { client: Client }) {
  const say = useText();
  const word = useUiText();
  const place = [client.postalCode, client.city, client.province].filter(Boolean).join(" ");
  const rate = (value: number | null) => (value === null ? null : percent(value));
  return (
    <Facts
      facts={[
        [say("taxId"), client.taxId && <bdi key="taxId">{client.taxId}</bdi>],
        [say("country"), country(client.country)],
        [
          say("address"),
          (client.address || place) && (
            <bdi key="address">{[client.address, place].filter(Boolean).join(", ")}</bdi>
          ),
        ],
        [say("email"), client.email && <a href={`mailto:${client.email}`}>{client.email}</a>],
        [say("phone"), client.phone],
        [say("contactName"), client.contactName && <bdi key="contact">{client.contactName}</bdi>],
        [say("defaultTaxRate"), rate(client.defaultTaxRate)],
        [say("defaultRetentionRate"), rate(client.defaultRetentionRate)],
        [say("paymentTermDays"), client.paymentTermDays],
        [say("equivalenceSurcharge"), client.equivalenceSurcharge ? word("yes") : null],
        [say("notes"), client.notes && <span className="as-typed">{client.notes}</span>],
      ]}
    />
  );
}

function Figures({ client }: { client: Client }) {
  const say = useText();
  const { currency } = useTeam();
  return (
    <Facts
      facts={[
        [say("documents"), client.invoiceCount],
        [say("invoiced"), money(client.totalInvoiced, currency)],
        [say("balance"), <strong key="balance">{money(client.balance, currency)}</strong>],
      ]}
    />
  );
}

function LastInvoices({ id }: { id: string }) {
  const say = useText();
  const invoices = useInvoices({ clientId: id, page: 1, limit: FEW });
  return (
    <Card
      title={say("lastInvoices")}
      actions={<ButtonLink to={`/invoices?clientId=${id}`}>{say("allInvoices")}</ButtonLink>}
    >
      <Loaded query={invoices}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">{say("noInvoices")}</p>
          ) : (
            <InvoiceTable invoices={items} ofOneClient />
          )
        }
      </Loaded>
    </Card>
  );
}

function DeleteDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const say = useText();
  const navigate = useNavigate();
  const remove = useDeleteClient(() => void navigate("/clients", { replace: true }));
  return (
    <FormDialog
      title={say("deleteTitle", { name: client.name })}
      submit={say("delete")}
      kind="danger"
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(client.id)}
      onClose={onClose}
    >
      <p>{say("deleteText")}</p>
    </FormDialog>
  );
}

function MergeDuplicate({ client, onClose }: { client: Client; onClose: () => void }) {
  const say = useText();
  return (
    <MergeDialog
      kept={client}
      domain="clients"
      search={matchingClients}
      run={(duplicateId, key) => mergeClients(client.id, duplicateId, key)}
      refreshes={[["clients"], ["invoices"], ["tasks"]]}
      onMerged={({ moved }) => {
        toast(say("merged", { invoices: String(moved.invoices), tasks: String(moved.tasks) }));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function Content({ loaded }: { loaded: Versioned<Client> }) {
  const say = useText();
  const { data: client, version } = loaded;
  const mayWrite = useMay("clients:write");
  const mayDelete = useMay("clients:delete");
  const mayDraft = useMay("invoices:draft");
  const [opened, open] = useState<"edit" | "merge" | "delete" | null>(null);
  return (
    <Page
      title={client.name}
      actions={
        <>
          {mayDelete && (
            <>
              <Button kind="danger" icon="trash" onClick={() => open("delete")}>
                {say("delete")}
              </Button>
              <Button icon="merge" onClick={() => open("merge")}>
                {say("merge")}
              </Button>
            </>
          )}
          {mayWrite && (
            <Button icon="edit" onClick={() => open("edit")}>
              {say("edit")}
            </Button>
          )}
          {mayDraft && (
            <ButtonLink kind="primary" icon="add" to={`/invoices/new?clientId=${client.id}`}>
              {say("newInvoice")}
            </ButtonLink>
          )}
        </>
      }
    >
      <Doubts warnings={client.warnings} />
      <div className="columns">
        <Card title={say("figures")}>
          <Figures client={client} />
        </Card>
        <Card title={say("details")}>
          <Details client={client} />
        </Card>
      </div>
      <LastInvoices id={client.id} />
      {opened === "edit" && <ClientDialog client={{ data: client, version }} onClose={() => open(null)} />}
      {opened === "merge" && <MergeDuplicate client={client} onClose={() => open(null)} />}
      {opened === "delete" && <DeleteDialog client={client} onClose={() => open(null)} />}
    </Page>
  );
}

/** `/clients/:id`: what is known of a client, its figures and its invoices. */
export function ClientCard() {
  const { id = "" } = useParams();
  const client = useClient(id);
  return (
    <Loaded query={client} lines={10}>
      {(loaded) => <Content key={loaded.data.id} loaded={loaded} />}
    </Loaded>
  );
}

import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { useMay, useTeam } from "../app/session";
import { money } from "../texts/formats";
import { Button } from "../ui/Button";
import { Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Page } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { ClientDialog } from "./ClientDialog";
import { useClients, type Client } from "./queries";
import { useText } from "./texts";

function useColumns(): Column<Client>[] {
  const say = useText();
  const { currency } = useTeam();
  return [
    {
      key: "name",
      title: say("name"),
      isName: true,
      cell: (client) => (
        <Link to={`/clients/${client.id}`}>
          <bdi>{client.name}</bdi>
        </Link>
      ),
    },
    { key: "taxId", title: say("taxId"), cell: (client) => <bdi>{client.taxId}</bdi> },
    { key: "city", title: say("city"), isDetail: true, cell: (client) => <bdi>{client.city}</bdi> },
    {
      key: "documents",
      title: say("documents"),
      isFigure: true,
      isDetail: true,
      cell: (client) => client.invoiceCount,
    },
    {
      key: "invoiced",
      title: say("invoiced"),
      isFigure: true,
      cell: (client) => money(client.totalInvoiced, currency),
    },
    {
      key: "balance",
      title: say("balance"),
      isFigure: true,
      cell: (client) => money(client.balance, currency),
    },
  ];
}

function Nothing({ isSearch, onCreate }: { isSearch: boolean; onCreate: (() => void) | null }) {
  const say = useText();
  return (
    <EmptyState
      icon="person"
      title={say(isSearch ? "noneMatch" : "none")}
      action={
        !isSearch &&
        onCreate && (
          <Button kind="primary" icon="add" onClick={onCreate}>
            {say("newClient")}
          </Button>
        )
      }
    >
      {say(isSearch ? "noneMatchText" : "noneText")}
    </EmptyState>
  );
}

export function ClientList() {
  const say = useText();
  const navigate = useNavigate();
  const mayWrite = useMay("clients:write");
  const { get, page } = useFilters();
  const clients = useClients(page, get("search"));
  const columns = useColumns();
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  return (
    <Page
      title={say("clients")}
      actions={
        mayWrite && (
          <Button kind="primary" icon="add" onClick={create}>
            {say("newClient")}
          </Button>
        )
      }
    >
      <SearchField label={say("searchLabel")} />
      <Loaded query={clients} lines={10}>
        {(shown) =>
          shown.total === 0 ? (
            <Nothing isSearch={get("search") !== null} onCreate={mayWrite ? create : null} />
          ) : (
            <>
              <Table
                caption={say("clients")}
                columns={columns}
                rows={shown.items}
                rowKey={(client) => client.id}
              />
              <Pager page={shown.page} pageSize={shown.pageSize} total={shown.total} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <ClientDialog
          client={null}
          onClose={() => setCreating(false)}
          onSaved={(client) => void navigate(`/clients/${client.id}`)}
        />
      )}
    </Page>
  );
}

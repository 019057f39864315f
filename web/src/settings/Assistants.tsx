import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { CopyField } from "../ui/CopyField";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { useText } from "./texts";

type Grant = Schemas["Grant"];

const GRANTS = ["grants"];

function useGrants() {
  return useQuery({
    queryKey: GRANTS,
    queryFn: ({ signal }) => take(api.GET("/api/oauth/grants", { signal })),
  });
}

function RevokeDialog({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const say = useText();
  const revoke = useAction({
    run: (id: string) => take(api.DELETE("/api/oauth/grants/{id}", { params: { path: { id } } })),
    refreshes: [GRANTS],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={say("disconnectTitle", { name: grant.clientName })}
      submit={say("disconnect")}
      kind="danger"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onSubmit={() => revoke.mutate(grant.id)}
    >
      <p>{say("disconnectText")}</p>
    </FormDialog>
  );
}

function useColumns(onRevoke: (grant: Grant) => void): Column<Grant>[] {
  const say = useText();
  const { timezone } = useTeam();
  return [
    { key: "name", title: say("application"), isName: true, cell: (grant) => <bdi>{grant.clientName}</bdi> },
    { key: "team", title: say("books"), cell: (grant) => <bdi>{grant.account.name}</bdi> },
    {
      key: "scopes",
      title: say("scopes"),
      cell: (grant) => grant.scopes.map((scope) => say(`${scope}Scope`)).join(", "),
    },
    {
      key: "used",
      title: say("lastUsed"),
      cell: (grant) => moment(grant.lastUsedAt, timezone) || say("neverUsed"),
    },
    {
      key: "revoke",
      title: say("disconnect"),
      isActions: true,
      cell: (grant) => (
        <Button
          kind="quiet"
          icon="trash"
          label={`${say("disconnect")}: ${grant.clientName}`}
          onClick={() => onRevoke(grant)}
        />
      ),
    },
  ];
}

/** How to connect an assistant: the address is all that most of them need; the others take a block of settings. */
function Connect() {
  const say = useText();
  const address = `${globalThis.location.origin}/mcp`;
  const server = { ledgerkit: { type: "http", url: address } };
  return (
    <Card title={say("connect")}>
      <div className="stack">
        <p>{say("connectLead")}</p>
        <CopyField label={say("mcpAddress")} text={address} />
        <CopyField label="Claude Code" text={`claude mcp add --transport http ledgerkit ${address}`} />
        <CopyField
          isBlock
          label={say("mcpSettings")}
          text={JSON.stringify({ mcpServers: server }, null, 2)}
        />
        <p className="soft">{say("connectKey")}</p>
        <div className="row">
          <ButtonLink icon="key" to="/settings/keys">
            {say("keysSection")}
          </ButtonLink>
        </div>
      </div>
    </Card>
  );
}

/** Applications that work for the person over MCP, and how to connect another. */
export function Assistants() {
  const say = useText();
  const grants = useGrants();
  const [revoked, setRevoked] = useState<Grant | null>(null);
  const columns = useColumns(setRevoked);
  return (
    <>
      <Card title={say("connected")}>
        <Loaded query={grants}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="spark" title={say("noneConnected")} />
            ) : (
              <Table caption={say("connected")} columns={columns} rows={rows} rowKey={(grant) => grant.id} />
            )
          }
        </Loaded>
      </Card>
      <Connect />
      {revoked && <RevokeDialog grant={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

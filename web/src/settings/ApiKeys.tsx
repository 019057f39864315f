import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Checkbox, DateField, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { FullKeys } from "./FullKeys";
import { NewKeyDialog } from "./NewKeyDialog";
import { useText } from "./texts";

type ApiKey = Schemas["ApiKey"];
type NewApiKey = Schemas["NewApiKey"];
export type Scope = Schemas["Scope"];

export const SCOPES: readonly Scope[] = ["propose", "read", "write", "fiscal", "team"];

const KEYS = ["keys"];

function useApiKeys() {
  return useQuery({ queryKey: KEYS, queryFn: ({ signal }) => take(api.GET("/api/keys", { signal })) });
}

/** The end of a day in the browser's zone, as the interface takes moments. */
function endOf(day: string): string | null {
  return day === "" ? null : new Date(`${day}T23:59:59`).toISOString();
}

function CreateDialog({ onCreated, onClose }: { onCreated: (key: NewApiKey) => void; onClose: () => void }) {
  const say = useText();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [lastDay, setLastDay] = useState("");
  const create = useAction({
    run: (body: Schemas["ApiKeyInput"], key) => take(api.POST("/api/keys", { body, headers: keyed(key) })),
    refreshes: [KEYS],
    onDone: onCreated,
  });
  function toggle(scope: Scope, isChosen: boolean): void {
    const others = scopes.filter((chosen) => chosen !== scope);
    const needed: Scope[] = scope === "propose" && !others.includes("read") ? ["read"] : [];
    setScopes(isChosen ? [...others, ...needed, scope] : others);
  }
  return (
    <FormDialog
      title={say("newKey")}
      submit={say("createKey")}
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate({ name: name.trim(), scopes: [...scopes], expiresAt: endOf(lastDay) })}
    >
      <TextField
        label={say("keyName")}
        hint={say("keyNameHint")}
        required
        value={name}
        onChange={setName}
        error={create.error?.forField("name")}
      />
      <fieldset className="stack">
        <legend>{say("scopes")}</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={say(`${scope}Scope`)}
            hint={say(`${scope}ScopeHint`)}
            checked={scopes.includes(scope)}
            onChange={(isChosen) => toggle(scope, isChosen)}
          />
        ))}
      </fieldset>
      <DateField
        label={say("keyLastDay")}
        hint={say("keyLastDayHint")}
        value={lastDay}
        onChange={setLastDay}
        error={create.error?.forField("expiresAt")}
      />
    </FormDialog>
  );
}

function useColumns(onRevoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const say = useText();
  const { timezone } = useTeam();
  return [
    {
      key: "name",
      title: say("keyName"),
      isName: true,
      cell: (row) => (
        <>
          <bdi>{row.name}</bdi> <span className="soft mono">{row.prefix}…</span>
        </>
      ),
    },
    {
      key: "scopes",
      title: say("scopes"),
      cell: (row) => row.scopes.map((scope) => say(`${scope}Scope`)).join(", "),
    },
    {
      key: "used",
      title: say("lastUsed"),
      cell: (row) => moment(row.lastUsedAt, timezone) || say("neverUsed"),
    },
    {
      key: "expires",
      title: say("expires"),
      isDetail: true,
      cell: (row) => moment(row.expiresAt, timezone) || say("noEnd"),
    },
    {
      key: "revoke",
      title: say("revoke"),
      isActions: true,
      cell: (row) => (
        <Button
          kind="quiet"
          icon="trash"
          label={`${say("revoke")}: ${row.name}`}
          onClick={() => onRevoke(row)}
        />
      ),
    },
  ];
}

function RevokeDialog({ revoked, onClose }: { revoked: ApiKey; onClose: () => void }) {
  const say = useText();
  const revoke = useAction({
    run: (id: string) => take(api.DELETE("/api/keys/{id}", { params: { path: { id } } })),
    refreshes: [KEYS],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={say("revokeTitle", { name: revoked.name })}
      submit={say("revoke")}
      kind="danger"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onSubmit={() => revoke.mutate(revoked.id)}
    >
      <p>{say("revokeText")}</p>
    </FormDialog>
  );
}

/** Keys for programs, each with only what it needs. A key is shown once. */
function ScopedKeys() {
  const say = useText();
  const keys = useApiKeys();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const columns = useColumns(setRevoked);
  const button = (
    <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
      {say("newKey")}
    </Button>
  );
  return (
    <Card title={say("keysSection")} actions={button}>
      <p className="soft">{say("keysLead")}</p>
      <Loaded query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="key" title={say("noKeys")} />
          ) : (
            <Table caption={say("keysSection")} columns={columns} rows={rows} rowKey={(row) => row.id} />
          )
        }
      </Loaded>
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created && <NewKeyDialog name={created.name} text={created.key} onClose={() => setCreated(null)} />}
      {revoked && <RevokeDialog revoked={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

/** Keys of programs, and those that need no scope. */
export function ApiKeys() {
  return (
    <>
      <ScopedKeys />
      <FullKeys />
    </>
  );
}

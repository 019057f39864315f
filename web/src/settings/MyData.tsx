import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, download, take, type Schemas } from "../api/client";
import { ProblemError } from "../api/problem";
import { useSession, useTeam } from "../app/session";
import { decimal, moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { useText } from "./texts";

type DataExport = Schemas["DataExport"];

const EXPORT = ["export"];
const ASK_AGAIN = 1_500;
const MEGABYTE = 1_048_576;

/** How the export stands, null where none was begun; asked again while it is being made. */
function useExport() {
  return useQuery({
    queryKey: EXPORT,
    queryFn: async ({ signal }): Promise<DataExport | null> => {
      try {
        return await take(api.GET("/auth/export", { signal }));
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: (query) => (query.state.data?.state === "making" ? ASK_AGAIN : false),
  });
}

function Ready({ made }: { made: DataExport }) {
  const say = useText();
  const { timezone } = useTeam();
  const save = useAction({ run: () => download("/auth/export/download") });
  const megabytes = decimal(((made.size ?? 0) / MEGABYTE).toFixed(1));
  return (
    <div className="stack">
      <Notice tone="good" title={say("exportReady", { megabytes })}>
        <p>{say("exportUntil", { until: moment(made.expiresAt, timezone) })}</p>
      </Notice>
      <ProblemNotice error={save.error} />
      <div className="row">
        <Button kind="primary" icon="download" busy={save.isPending} onClick={() => save.mutate()}>
          {say("downloadExport")}
        </Button>
      </div>
    </div>
  );
}

function Export() {
  const say = useText();
  const made = useExport();
  const begin = useAction({
    run: (_: undefined, key) => take(api.POST("/auth/export", { headers: keyed(key) })),
    refreshes: [EXPORT],
  });
  const isMaking = begin.isPending || made.data?.state === "making";
  return (
    <div className="stack">
      <p>{say("exportText")}</p>
      <div className="row">
        <Button icon="box" busy={isMaking} onClick={() => begin.mutate(undefined)}>
          {say("export")}
        </Button>
      </div>
      <div role="status">
        {isMaking && <Notice title={say("exportMaking")} />}
        {made.data?.state === "ready" && <Ready made={made.data} />}
        {made.data?.state === "failed" && <Notice tone="bad" title={say("exportFailed")} />}
      </div>
      <ProblemNotice error={begin.error} />
      <ProblemNotice error={made.error} onRetry={() => void made.refetch()} />
    </div>
  );
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const say = useText();
  const [password, setPassword] = useState("");
  const close = useAction({
    run: (typed: string) => take(api.DELETE("/auth/me", { body: { password: typed } })),
    onDone: () => globalThis.location.replace("/login"),
  });
  const { end } = useSession();
  return (
    <FormDialog
      title={say("closeAccount")}
      submit={say("closeAccount")}
      kind="danger"
      busy={close.isPending}
      error={close.error}
      onClose={close.isSuccess ? () => void end() : onClose}
      onSubmit={() => close.mutate(password)}
    >
      <p>{say("closeText")}</p>
      <TextField
        label={say("oldPassword")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
        error={close.error?.forField("password")}
      />
    </FormDialog>
  );
}

/** Everything out, and the way to leave. */
export function MyData() {
  const say = useText();
  const [isClosing, setClosing] = useState(false);
  return (
    <>
      <Card title={say("export")}>
        <Export />
      </Card>
      <Card title={say("closeAccount")}>
        <div className="stack">
          <p>{say("closeText")}</p>
          <div className="row">
            <Button kind="danger" onClick={() => setClosing(true)}>
              {say("closeAccount")}
            </Button>
          </div>
        </div>
      </Card>
      {isClosing && <CloseDialog onClose={() => setClosing(false)} />}
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, NO_VERSION, put, take, type Schemas } from "../api/client";
import { ProblemError } from "../api/problem";
import { useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Checkbox, TextField } from "../ui/fields";
import { asDataUrl, FileDrop } from "../ui/files";
import { Loaded } from "../ui/Loaded";
import { Notice, ProblemNotice, Status } from "../ui/notices";
import { Card, Facts } from "../ui/page";
import { toast } from "../ui/toasts";
import { useRemedy } from "../ui/remedies";
import { useText } from "./texts";

type Shown = Schemas["CertificateShown"];

const CERTIFICATE = ["einvoice", "certificate"];
const LARGEST = 0.06; // megabytes: 64 KiB with its encoding
const SOON = 60; // days

/** The certificate, null where the account has none of its own. */
async function fetchCertificate(signal: AbortSignal): Promise<Shown | null> {
  try {
    return await take(api.GET("/api/einvoice/certificate", { signal }));
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  }
}

function useCertificate() {
  return useQuery({ queryKey: CERTIFICATE, queryFn: ({ signal }) => fetchCertificate(signal) });
}

function DaysLeft({ days }: { days: number }) {
  const say = useText();
  const tone = days <= 7 ? "bad" : days <= SOON ? "caution" : "good";
  return <Status tone={tone}>{days < 0 ? say("expired") : say("daysLeft", { count: days })}</Status>;
}

function CertificateFacts({ certificate }: { certificate: Shown }) {
  const say = useText();
  const { timezone } = useTeam();
  return (
    <Facts
      facts={[
        [say("holder"), <bdi key="holder">{certificate.holder}</bdi>],
        ["NIF", certificate.taxId],
        [say("certificateIssuer"), <bdi key="issuer">{certificate.issuer}</bdi>],
        [say("validTo"), moment(certificate.validTo, timezone)],
        [say("validity"), <DaysLeft key="days" days={certificate.daysLeft} />],
        [say("representation"), certificate.represents ? say("yes") : null],
      ]}
    />
  );
}

function TestConnection() {
  const inWords = useRemedy();
  const say = useText();
  const test = useAction({
    run: (_: undefined, key) => take(api.POST("/api/einvoice/certificate/test", { headers: keyed(key) })),
  });
  const tested = test.data;
  return (
    <div className="stack">
      <div className="row">
        <Button icon="refresh" busy={test.isPending} onClick={() => test.mutate(undefined)}>
          {say("testConnection")}
        </Button>
      </div>
      <div role="status">
        {tested && (
          <Notice
            tone={tested.ok ? "good" : "bad"}
            title={say(tested.ok ? "connectionWorks" : "connectionFails", { host: tested.host })}
          >
            {tested.problem && (
              <p>
                {tested.problem.message} {inWords(tested.problem.remedy)}
              </p>
            )}
          </Notice>
        )}
      </div>
      <ProblemNotice error={test.error} />
    </div>
  );
}

function Upload({ onDone }: { onDone: () => void }) {
  const say = useText();
  const [file, setFile] = useState<File | null>(null);
  const [password, setPassword] = useState("");
  const [represents, setRepresents] = useState(false);
  const upload = useAction({
    run: async () => {
      const content = file ? await asDataUrl(file) : "";
      const body = { file: content.slice(content.indexOf(",") + 1), password: password || null, represents };
      return take(put(NO_VERSION)("/api/einvoice/certificate", { body }));
    },
    refreshes: [["einvoice"]],
    onDone: () => {
      setFile(null);
      setPassword("");
      toast(say("certificateSaved"));
      onDone();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        upload.mutate();
      }}
    >
      <FileDrop
        label={file ? file.name : say("certificateFile")}
        accept=".p12,.pfx,.pem"
        limit={LARGEST}
        onFiles={(files) => setFile(files[0] ?? null)}
      />
      <TextField
        label={say("certificatePassword")}
        type="password"
        autoComplete="off"
        value={password}
        onChange={setPassword}
        error={upload.error?.forField("password")}
      />
      <Checkbox
        label={say("represents")}
        hint={say("representsHint")}
        checked={represents}
        onChange={setRepresents}
      />
      <ProblemNotice error={upload.error} />
      <div className="row">
        <Button type="submit" kind="primary" disabled={file === null} busy={upload.isPending}>
          {say("uploadCertificate")}
        </Button>
      </div>
    </form>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const say = useText();
  const remove = useAction({
    run: () => take(api.DELETE("/api/einvoice/certificate", {})),
    refreshes: [["einvoice"]],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={say("removeCertificate")}
      submit={say("removeCertificate")}
      kind="danger"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
    >
      <p>{say("removeCertificateText")}</p>
    </FormDialog>
  );
}

/** The certificate that proves to the authority who sends. Its private key never comes back out of the server. */
export function Certificate() {
  const inWords = useRemedy();
  const say = useText();
  const certificate = useCertificate();
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <Card title={say("certificateSection")}>
        <Loaded query={certificate}>
          {(shown) => (
            <div className="stack">
              {shown ? <CertificateFacts certificate={shown} /> : <Notice title={say("noCertificate")} />}
              {shown?.problem && (
                <Notice tone="caution" title={say("certificateRefused")}>
                  <p>
                    {shown.problem.message}. {inWords(shown.problem.remedy)}
                  </p>
                </Notice>
              )}
              <TestConnection />
              {shown && (
                <div className="row">
                  <Button kind="danger" icon="trash" onClick={() => setRemoving(true)}>
                    {say("removeCertificate")}
                  </Button>
                </div>
              )}
            </div>
          )}
        </Loaded>
      </Card>
      <Card title={say("newCertificate")}>
        <Upload onDone={() => void certificate.refetch()} />
      </Card>
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
    </>
  );
}

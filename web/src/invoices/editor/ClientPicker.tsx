import { useMay } from "../../app/session";
import { keyed, useAction } from "../../api/actions";
import { api, take, type Schemas } from "../../api/client";
import { daysLater } from "../../texts/formats";
import { CountryField } from "../../ui/CountryField";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/fields";
import { ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import { toast } from "../../ui/toasts";
import { Typeahead } from "../../ui/Typeahead";
import { CompleteClient } from "../CompleteClient";
import { useText } from "../texts";
import { messageAt } from "./errors";
import { isBlank, NO_CLIENT, type ClientForm, type InvoiceForm } from "./form";
import type { ChangeForm } from "./Lines";
import { matchingClients } from "./matches";

type Client = Schemas["Client"];

/** A stored client as the editor shows them. */
export function cardOf(client: Client): ClientForm {
  return {
    id: client.id,
    name: client.name,
    taxId: client.taxId ?? "",
    country: client.country,
    email: client.email ?? "",
    address: client.address ?? "",
    postalCode: client.postalCode ?? "",
    city: client.city ?? "",
    province: client.province ?? "",
    bearsSurcharge: client.equivalenceSurcharge,
  };
}

/** The invoice for a stored client: with the rates and the term that the client has. */
export function withClient(form: InvoiceForm, client: Client): InvoiceForm {
  const { defaultTaxRate, defaultRetentionRate, paymentTermDays } = client;
  return {
    ...form,
    isClientChanged: true,
    client: cardOf(client),
    lines:
      defaultTaxRate === null
        ? form.lines
        : form.lines.map((line) => (isBlank(line) ? { ...line, vat: String(defaultTaxRate) } : line)),
    retentionRate: defaultRetentionRate === null ? form.retentionRate : String(defaultRetentionRate),
    dueDate:
      paymentTermDays === null || form.issueDate === "" || form.dueDate === ""
        ? form.dueDate
        : daysLater(form.issueDate, paymentTermDays),
  };
}

const FIELDS = ["taxId", "email", "address", "postalCode", "city"] as const;

function useCreateClient(change: ChangeForm) {
  const say = useText();
  return useAction({
    run: (client: ClientForm, key) =>
      take(
        api.POST("/api/clients", {
          body: {
            name: client.name.trim(),
            equivalenceSurcharge: false,
            ...Object.fromEntries(
              [...FIELDS, "country" as const]
                .filter((name) => client[name].trim() !== "")
                .map((name) => [name, client[name].trim()]),
            ),
          },
          headers: keyed(key),
        }),
      ),
    refreshes: [["clients"]],
    onDone: (client) => {
      toast(say("clientCreated", { name: client.name }));
      change((form) => withClient(form, client));
    },
  });
}

interface Props {
  form: InvoiceForm;
  change: ChangeForm;
  error: unknown;
  /** The card of the chosen client was changed here. */
  onClientSaved: (client: Client) => void;
}

function NewClient({ form, change, error }: Omit<Props, "onClientSaved">) {
  const say = useText();
  const create = useCreateClient(change);
  const mayWrite = useMay("clients:write");
  const { client } = form;
  const set = (name: (typeof FIELDS)[number] | "country", value: string) =>
    change((before) => ({ ...before, isClientChanged: true, client: { ...before.client, [name]: value } }));
  const refusal = (name: string) => messageAt(create.error, name) ?? messageAt(error, `client.${name}`);
  return (
    <div className="stack new-client">
      <p className="field-hint">{say("newClientText")}</p>
      <div className="columns">
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={say(name)}
            type={name === "email" ? "email" : "text"}
            hint={name === "taxId" && form.docType === "invoice" ? say("taxIdNeeded") : undefined}
            value={client[name]}
            error={refusal(name)}
            onChange={(value) => set(name, value)}
          />
        ))}
        <CountryField
          label={say("country")}

          value={client.country}
          error={refusal("country")}
          onChange={(value) => set("country", value)}
        />
      </div>
      {mayWrite && (
        <div className="row">
          <Button icon="add" busy={create.isPending} onClick={() => create.mutate(client)}>
            {say("createClient")}
          </Button>
        </div>
      )}
      <ProblemNotice error={create.error} />
    </div>
  );
}

interface ChosenProps {
  client: ClientForm;
  id: string;
  onClear: () => void;
  onSaved: (client: Client) => void;
}

function ChosenClient({ client, id, onClear, onSaved }: ChosenProps) {
  const say = useText();
  const lines = [
    client.taxId,
    client.address,
    [client.postalCode, client.city].filter(Boolean).join(" "),
    client.email,
  ].filter(Boolean);
  return (
    <div className="chosen-client">
      <div>
        {lines.map((line) => (
          <p key={line} className="soft">
            <bdi>{line}</bdi>
          </p>
        ))}
        {client.bearsSurcharge && <p className="soft">{say("bearsSurcharge")}</p>}
      </div>
      <div className="row">
        <CompleteClient clientId={id} label={say("editClient")} onSaved={onSaved} />
        <Button kind="quiet" icon="close" onClick={onClear}>
          {say("otherClient")}
        </Button>
      </div>
    </div>
  );
}

/** Who is invoiced: a stored client, found by the server, or a new one that is created in place. */
export function ClientPicker({ form, change, error, onClientSaved }: Props) {
  const say = useText();
  const { client } = form;
  const isNew = client.id === null && client.name.trim() !== "";
  const type = (name: string) =>
    change((before) =>
      name === before.client.name
        ? before
        : {
            ...before,
            isClientChanged: true,
            client: before.client.id === null ? { ...before.client, name } : { ...NO_CLIENT, name },
          },
    );
  return (
    <Card title={say("client")}>
      <div className="stack">
        <Typeahead
          label={say("clientName")}
          placeholder={say("clientHint")}
          isNoneToldBelow
          value={client.name}
          required={form.docType === "invoice"}
          onType={type}
          onChoose={(match) => change((before) => withClient(before, match.client))}
          queryKey={["clients", "matches"]}
          search={matchingClients}
          error={
            messageAt(error, "client") ?? messageAt(error, "clientId") ?? messageAt(error, "client.name")
          }
        />
        {client.id !== null && (
          <ChosenClient
            client={client}
            id={client.id}
            onSaved={onClientSaved}
            onClear={() => change((before) => ({ ...before, isClientChanged: true, client: NO_CLIENT }))}
          />
        )}
        {isNew && <NewClient form={form} change={change} error={error} />}
      </div>
    </Card>
  );
}

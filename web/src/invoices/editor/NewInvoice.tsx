import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { keyed, useAction } from "../../api/actions";
import { api, impatient, take, type Schemas } from "../../api/client";
import { useDraft } from "../../app/drafts";
import { useMay, useSession, useTeam } from "../../app/session";
import { useOffer } from "../../countries/queries";
import { generalRate, type Offer } from "../../countries/taxes";
import { useCurrentTeam, type TeamRecord } from "../../settings/company";
import { Button } from "../../ui/Button";
import { Loaded } from "../../ui/Loaded";
import { Notice } from "../../ui/notices";
import { Card, Page } from "../../ui/page";
import { toast } from "../../ui/toasts";
import type { InvoiceInput } from "../queries";
import { useText } from "../texts";
import { cardOf, withClient } from "./ClientPicker";
import { EditorForm } from "./EditorForm";
import { emptyForm, inputOf, surchargesOf, type Defaults, type InvoiceForm } from "./form";
import "../invoices.css";

/** What the next screen shall open at once. */
export interface EditState {
  isIssuing: boolean;
}

function useCreate(forget: () => void) {
  const say = useText();
  const navigate = useNavigate();
  return useAction({
    run: ({ body }: { body: InvoiceInput; isIssuing: boolean }, key) =>
      take(api.POST("/api/invoices", { body, headers: keyed(key), fetch: impatient })),
    refreshes: [["invoices"], ["clients"]],
    onDone: (invoice, { isIssuing }) => {
      forget();
      if (!isIssuing) toast(say("draftSaved"));
      const state: EditState = { isIssuing };
      void navigate(`/invoices/${invoice.id}/edit`, { replace: true, state });
    },
  });
}

interface FormProps {
  defaults: Defaults;
  offer: Offer;
  client: Schemas["Client"] | null;
}

function Form({ defaults, offer, client }: FormProps) {
  const say = useText();
  const team = useTeam();
  const { user } = useSession().session;
  const mayIssue = useMay("invoices:issue");
  const start = (): InvoiceForm => {
    const empty = emptyForm(defaults);
    return client === null ? empty : withClient(empty, client);
  };
  const key = `${user?.id ?? ""}.${team.id}.invoice.new${client === null ? "" : `.${client.id}`}`;
  const [form, change, forget] = useDraft<InvoiceForm>(key, start);
  const create = useCreate(forget);
  const save = (isIssuing: boolean) =>
    create.mutate({ body: inputOf(form, surchargesOf(form, offer)), isIssuing });
  const isSaving = (isIssuing: boolean) => create.isPending && create.variables.isIssuing === isIssuing;
  return (
    <Page
      title={say("newInvoice")}
      actions={
        <>
          <Button
            onClick={() => {
              const typed = form;
              change(start());
              forget();
              toast(say("startedAnew"), () => change(typed));
            }}
          >
            {say("startAnew")}
          </Button>
          <Button kind={mayIssue ? "plain" : "primary"} busy={isSaving(false)} onClick={() => save(false)}>
            {say("saveDraft")}
          </Button>
          {mayIssue && (
            <Button kind="primary" icon="check" busy={isSaving(true)} onClick={() => save(true)}>
              {say("issueEllipsis")}
            </Button>
          )}
        </>
      }
    >
      {!team.isSetUp && <Notice tone="caution" title={say("companyIncomplete")} />}
      <EditorForm
        form={form}
        change={change}
        currency={team.currency}
        offer={offer}
        refused={create.error}
        onRetry={() => save(create.variables?.isIssuing ?? false)}
        onClientSaved={(saved) => change((before) => ({ ...before, client: cardOf(saved) }))}
        aside={
          <Card>
            <p className="soft">{say("pdfAfterSaving")}</p>
          </Card>
        }
      />
    </Page>
  );
}

function useClientOfAddress() {
  const [parameters] = useSearchParams();
  const id = parameters.get("clientId");
  return useQuery({
    queryKey: ["clients", "one", id],
    queryFn: ({ signal }) =>
      id === null ? null : take(api.GET("/api/clients/{id}", { params: { path: { id } }, signal })),
  });
}

type TeamDefaults = Pick<TeamRecord, "defaultTaxRate" | "defaultRetentionRate">;

function asDefaults(team: TeamDefaults, { country, today }: Offer): Defaults {
  return {
    taxRate: team.defaultTaxRate === null ? generalRate(country, today) : String(team.defaultTaxRate),
    retentionRate: team.defaultRetentionRate ? String(team.defaultRetentionRate) : "",
  };
}

/** `/invoices/new`: nothing is stored on the server before it is asked for; what is typed survives a reload. */
export function NewInvoice() {
  const { isTeam } = useTeam();
  const team = useCurrentTeam(isTeam);
  const client = useClientOfAddress();
  const offer = useOffer();
  const drawn = (defaults: TeamDefaults) => (
    <Loaded query={client} lines={10}>
      {(chosen) => (
        <Loaded query={offer} lines={10}>
          {(offered) => <Form client={chosen} offer={offered} defaults={asDefaults(defaults, offered)} />}
        </Loaded>
      )}
    </Loaded>
  );
  return isTeam ? (
    <Loaded query={team} lines={10}>
      {drawn}
    </Loaded>
  ) : (
    drawn({ defaultTaxRate: null, defaultRetentionRate: null })
  );
}

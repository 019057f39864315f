import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState, type SetStateAction } from "react";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import type { Versioned } from "../../api/client";
import type { Choice } from "../../api/saving";
import { isNoConnection } from "../../api/problem";
import { useDraft } from "../../app/drafts";
import type { Client } from "../../clients/queries";
import { useOffer } from "../../countries/queries";
import type { Offer } from "../../countries/taxes";
import { useSession } from "../../app/session";
import { Button, ButtonLink } from "../../ui/Button";
import { Conflict } from "../../ui/Conflict";
import { Loaded } from "../../ui/Loaded";
import { Notice, Status, type Tone } from "../../ui/notices";
import { Page } from "../../ui/page";
import { isDraft, useDelete } from "../actions";
import { IssueDialog } from "../IssueDialog";
import { useInvoice, type Invoice } from "../queries";
import { useInvoiceRights } from "../rights";
import { useText } from "../texts";
import { cardOf } from "./ClientPicker";
import { EditorForm } from "./EditorForm";
import { formOf, type InvoiceForm } from "./form";
import type { ChangeForm } from "./Lines";
import type { EditState } from "./NewInvoice";
import { PdfPane } from "./PdfPane";
import { useAutosave, type SaveState } from "./useAutosave";
import "../invoices.css";

/** What is typed, and the version of the draft that it changes. */
interface Typed {
  form: InvoiceForm;
  version: string;
}

const TONES: Record<SaveState, Tone | "plain"> = {
  saved: "good",
  unsaved: "plain",
  saving: "plain",
  conflict: "bad",
  failed: "caution",
  offline: "caution",
};

function useTyped(loaded: Versioned<Invoice>) {
  const { user, team } = useSession().session;
  const key = `${user?.id ?? ""}.${team?.id ?? ""}.invoice.${loaded.data.id}`;
  const [typed, setTyped, forget] = useDraft<Typed>(key, () => ({
    form: formOf(loaded.data),
    version: loaded.version,
  }));
  const change: ChangeForm = useCallback(
    (step) => setTyped((before) => ({ ...before, form: step(before.form) })),
    [setTyped],
  );
  const replace = useCallback((next: SetStateAction<Typed>) => setTyped(next), [setTyped]);
  return { typed, change, replace, forget };
}

interface FormProps {
  loaded: Versioned<Invoice>;
  offer: Offer;
  /** Load the draft again, as it stands on the server. */
  reload: () => Promise<Versioned<Invoice>>;
}

/** A refusal that the form shows. */
const shown = (error: unknown) => error;

/** The form once the draft is saved: a client that was new has its card now. */
function withStoredClient(form: InvoiceForm, { client, clientId }: Invoice): InvoiceForm {
  const isNew = form.client.id === null && clientId !== null && form.client.name === client.name;
  return isNew ? { ...form, isClientChanged: false, client: { ...form.client, id: clientId } } : form;
}

function useEditing({ loaded, offer, reload }: FormProps) {
  const { typed, change, replace, forget } = useTyped(loaded);
  const queries = useQueryClient();
  const basis = { data: loaded.data, version: typed.version };
  const saving = useAutosave(basis, typed.form, offer, (saved) => {
    queries.setQueryData(["invoices", "one", saved.data.id], saved);
    replace(({ form }) => ({ form: withStoredClient(form, saved.data), version: saved.version }));
    forget();
  });
  const takeTheirs = async () => {
    const theirs = await reload();
    saving.accept(theirs);
    replace({ form: formOf(theirs.data), version: theirs.version });
    forget();
  };
  const keepMine = async () => saving.saveNow((await reload()).version);
  const followCard = async (client: Client) => {
    const card = cardOf(client);
    const fresh = await reload();
    const isFollowed = saving.follow(fresh);
    const isCopied = (fresh.data.client.taxId ?? "") === card.taxId;
    replace(({ form, version }) => ({
      form: { ...form, client: card, isClientChanged: form.isClientChanged || !isCopied },
      version: isFollowed ? fresh.version : version,
    }));
  };
  const choice: Choice = {
    onTheirs: () => void takeTheirs().catch(shown),
    onMine: () => void keepMine().catch(shown),
  };
  return {
    form: typed.form,
    change,
    forget,
    saving,
    choice,
    followCard: (client: Client) => void followCard(client).catch(shown),
  };
}

function DraftForm(props: FormProps) {
  const say = useText();
  const navigate = useNavigate();
  const { isIssuing: isAsked } = (useLocation().state ?? { isIssuing: false }) as EditState;
  const [isIssuing, setIssuing] = useState(isAsked);
  const { form, change, forget, saving, choice, followCard } = useEditing(props);
  const { stored, state } = saving;
  const rights = useInvoiceRights()(stored.data);
  const remove = useDelete(() => {
    forget();
    void navigate("/invoices");
  });

  const [isAsking, setAsking] = useState(false);
  async function save(isIssued: boolean): Promise<void> {
    setAsking(isIssued);
    if (!isIssued || state !== "saved") await saving.saveNow();
    setIssuing(isIssued);
  }

  return (
    <Page
      title={say(form.docType === "credit_note" ? "editCreditNote" : "editInvoice")}
      lead={
        <span role="status">
          <Status tone={TONES[state]}>{say(`save_${state}`)}</Status>
        </span>
      }
      actions={
        <>
          {rights.remove && (
            <Button
              kind="danger"
              icon="trash"
              busy={remove.isPending}
              onClick={() => remove.mutate(stored.data.id)}
            >
              {say("deleteDraft")}
            </Button>
          )}
          <ButtonLink to={`/invoices/${stored.data.id}`}>{say("view")}</ButtonLink>
          <Button
            kind={rights.issue ? "plain" : "primary"}
            busy={saving.isSaving}
            onClick={() => void save(false).catch(shown)}
          >
            {say("saveDraft")}
          </Button>
          {rights.issue && (
            <Button
              kind="primary"
              icon="check"
              busy={saving.isSaving && isAsking}
              onClick={() => void save(true).catch(shown)}
            >
              {say("issueEllipsis")}
            </Button>
          )}
        </>
      }
    >
      {state === "conflict" && <Conflict title={say("conflict")} choice={choice} />}
      <EditorForm
        form={form}
        change={change}
        stored={stored.data}
        currency={stored.data.currency}
        offer={props.offer}
        refused={isNoConnection(saving.error) && state === "saved" ? null : (saving.error ?? remove.error)}
        onRetry={() => void save(isAsking).catch(shown)}
        onClientSaved={followCard}
        aside={<PdfPane id={stored.data.id} version={stored.version} />}
      />
      {isIssuing && (
        <IssueDialog
          invoice={stored.data}
          by={rights.issueBy}
          isElsewhere
          onClose={() => setIssuing(false)}
          onClientSaved={followCard}
        />
      )}
    </Page>
  );
}

/** An issued invoice is not edited: what can be done with it, and what the authority said, stands on its page. */
function Locked({ invoice }: { invoice: Invoice }) {
  const say = useText();
  if (!isDraft(invoice)) return <Navigate to={`/invoices/${invoice.id}`} replace />;
  return (
    <Page title={say("editInvoice")}>
      <Notice
        title={say("notYours")}
        action={
          <ButtonLink to={`/invoices/${invoice.id}`} kind="primary">
            {say("view")}
          </ButtonLink>
        }
      >
        <p>{say("notYoursText")}</p>
      </Notice>
    </Page>
  );
}

/** `/invoices/:id/edit`: a draft, saved while one types. */
export function EditInvoice() {
  const { id = "" } = useParams();
  const query = useInvoice(id);
  const offer = useOffer();
  const rights = useInvoiceRights();
  const reload = async () => {
    const { data, error } = await query.refetch();
    if (data === undefined) throw error ?? new Error("not loaded");
    return data;
  };
  return (
    <Loaded query={query} lines={12}>
      {(loaded) =>
        rights(loaded.data).edit ? (
          <Loaded query={offer} lines={12}>
            {(offered) => <DraftForm key={id} loaded={loaded} offer={offered} reload={reload} />}
          </Loaded>
        ) : (
          <Locked invoice={loaded.data} />
        )
      }
    </Loaded>
  );
}

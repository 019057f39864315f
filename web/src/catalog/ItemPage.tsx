import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import type { Versioned } from "../api/client";
import { useDraft } from "../app/drafts";
import { useMay, useSession, useTeam } from "../app/session";
import { Button } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { Notice, ProblemNotice, Status } from "../ui/notices";
import { Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { useActivation, useSaveItem } from "./actions";
import { draftOf, emptyItem, inputOf } from "./itemDraft";
import { ItemForm } from "./ItemForm";
import { useCategories, useItem, type CatalogItem } from "./queries";
import { useText } from "./texts";
import "./catalog.css";

function useItemDraft(stored: Versioned<CatalogItem> | null) {
  const team = useTeam();
  const { user } = useSession().session;
  const name = stored === null ? "new" : `${stored.data.id}.${stored.version}`;
  return useDraft(
    `${user?.id}.${team.id}.catalog.${name}`,
    stored === null ? emptyItem() : draftOf(stored.data),
  );
}

interface EditorProps {
  stored: Versioned<CatalogItem> | null;
  onReload?: () => void;
}

/** The form of a new item, or of one that is stored: as it was when the form was opened, whatever comes meanwhile. */
function Editor({ stored: latest, onReload }: EditorProps) {
  const [stored] = useState(latest);
  const say = useText();
  const navigate = useNavigate();
  const mayWrite = useMay("catalog:write");
  const categories = useCategories();
  const [draft, setDraft, forget] = useItemDraft(stored);
  const save = useSaveItem((item) => {
    forget();
    toast(say("saved", { name: item.name }));
    void navigate("/catalog");
  });
  const item = stored?.data ?? null;
  const form = (
    <ItemForm
      draft={draft}
      error={save.error}
      submit={say(stored ? "save" : "create")}
      busy={save.isPending}
      mayWrite={mayWrite}
      categories={categories.data ?? []}
      onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
      onSubmit={() =>
        save.mutate({ body: inputOf(draft, item), id: item?.id ?? null, version: stored?.version ?? "" })
      }
    />
  );
  if (save.error?.status !== 412) return form;
  return (
    <>
      <Notice
        tone="caution"
        title={say("changedElsewhere")}
        action={<Button onClick={onReload}>{say("loadAgain")}</Button>}
      />
      {form}
    </>
  );
}

export function NewItemPage() {
  const say = useText();
  return (
    <Page title={say("newItem")}>
      <Editor stored={null} />
    </Page>
  );
}

function Activation({ item }: { item: CatalogItem }) {
  const say = useText();
  const activation = useActivation();
  return (
    <>
      <ProblemNotice error={activation.error} />
      <Button
        kind={item.isActive ? "danger" : "plain"}
        icon={item.isActive ? "trash" : "undo"}
        busy={activation.isPending}
        onClick={() => activation.mutate({ item, isActive: !item.isActive })}
      >
        {say(item.isActive ? "deactivate" : "activate")}
      </Button>
    </>
  );
}

export function ItemPage() {
  const say = useText();
  const { id = "" } = useParams();
  const mayWrite = useMay("catalog:write");
  const item = useItem(id);
  const [opening, setOpening] = useState(0);
  return (
    <Page
      title={item.data?.data.name ?? say("title")}
      lead={item.data?.data.isActive === false && <Status tone="plain">{say("inactiveMark")}</Status>}
      actions={mayWrite && item.data && <Activation item={item.data.data} />}
    >
      {!mayWrite && <Notice title={say("readOnly")} />}
      <Loaded query={item} lines={10}>
        {(stored) => (
          <Editor
            key={`${opening} ${stored.data.isActive}`}
            stored={stored}
            onReload={() => void item.refetch().then(() => setOpening(opening + 1))}
          />
        )}
      </Loaded>
    </Page>
  );
}

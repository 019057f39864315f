import { useState } from "react";
import { useNavigate } from "react-router";
import { useAction } from "../api/actions";
import { download } from "../api/client";
import { useMay } from "../app/session";
import { useLanguage } from "../texts/language";
import { Button } from "../ui/Button";
import { Menu } from "../ui/Menu";
import { ProblemNotice } from "../ui/notices";
import { useRegeneration } from "./Changes";
import { Amendment, Deletion, Submission } from "./dialogs";
import type { Declaration, Versioned } from "./queries";
import { useTaxText } from "./texts";

type Opened = "submit" | "amend" | "delete" | null;

/** A file to download: of a draft, or the one that was frozen. */
const hasFile = ({ origin, status, file }: Declaration) =>
  origin === "generated" && (status === "draft" || file !== null);

/** What can be done with a declaration, by its state and the role. */
export function DeclarationActions({ versioned }: { versioned: Versioned }) {
  const say = useTaxText();
  const spoken = useLanguage();
  const navigate = useNavigate();
  const { declaration } = versioned;
  const mayWrite = useMay("declarations:write");
  const maySubmit = useMay("declarations:submit");
  const [opened, setOpened] = useState<Opened>(null);
  const { generation, regenerate } = useRegeneration(declaration);
  const saving = useAction({ run: (path: string) => download(path) });
  const path = `/api/tax-declarations/${declaration.id}`;
  const isDraft = declaration.status === "draft";
  const isGenerated = declaration.origin === "generated";
  const canDelete = mayWrite && (isDraft || !isGenerated);
  const close = () => setOpened(null);
  return (
    <>
      {isDraft && mayWrite && (
        <Button icon="refresh" busy={generation.isPending} onClick={regenerate}>
          {say("regenerate")}
        </Button>
      )}
      {hasFile(declaration) && (
        <Button icon="download" busy={saving.isPending} onClick={() => saving.mutate(`${path}/file`)}>
          {say("file")}
        </Button>
      )}
      <Button icon="print" onClick={() => saving.mutate(`${path}/pdf?lang=${spoken}`)}>
        {say("pdf")}
      </Button>
      {isDraft && maySubmit && (
        <Button kind="primary" icon="check" onClick={() => setOpened("submit")}>
          {say("submit")}
        </Button>
      )}
      <Menu
        label={say("more")}
        entries={[
          mayWrite &&
            !isDraft && {
              key: "amend",
              label: say("amend"),
              icon: "edit",
              onSelect: () => setOpened("amend"),
            },
          canDelete && {
            key: "delete",
            label: say("delete"),
            icon: "trash",
            isDanger: true,
            onSelect: () => setOpened("delete"),
          },
        ]}
      />
      <div className="tax-refusal">
        <ProblemNotice error={generation.error ?? saving.error} />
      </div>
      {opened === "submit" && <Submission declaration={declaration} onClose={close} />}
      {opened === "amend" && <Amendment declaration={declaration} onClose={close} />}
      {opened === "delete" && (
        <Deletion
          declaration={declaration}
          onClose={close}
          onDeleted={() => void navigate("/tax?view=list")}
        />
      )}
    </>
  );
}

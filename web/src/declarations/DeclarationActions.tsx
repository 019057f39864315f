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
      <OpenedDialog opened={opened} versioned={versioned} onClose={() => setOpened(null)} />
    </>
  );
}

function OpenedDialog({
  opened,
  versioned: { declaration },
  onClose,
}: {
  opened: Opened;
  versioned: Versioned;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  switch (opened) {
    case "submit":
      return <Submission declaration={declaration} onClose={onClose} />;
    case "amend":
      return <Amendment declaration={declaration} onClose={onClose} />;
    case "delete":
      return (
        <Deletion
          declaration={declaration}
          onClose={onClose}
          onDeleted={() => void navigate("/tax?view=list")}
        />
      );
    case null:
      return null;
  }
}

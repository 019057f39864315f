import { useState } from "react";
import { useMay, useTeam } from "../../app/session";
import { moment } from "../../texts/formats";
import { Button } from "../../ui/Button";
import { FormDialog } from "../../ui/Dialog";
import { Choices } from "../../ui/fields";
import { EmptyState, ProblemNotice } from "../../ui/notices";
import { Card } from "../../ui/page";
import { Table, type Column } from "../../ui/Table";
import { toast } from "../../ui/toasts";
import { useChatsText } from "../texts";
import { CodeDialog } from "./CodeDialog";
import { useNewCode, useUnlinking, type LinkedChat, type Messenger, type NewChat } from "./queries";
import { titleOf } from "./words";

function useColumns(
  messengers: readonly Messenger[],
  onUnlink: (chat: LinkedChat) => void,
): Column<LinkedChat>[] {
  const say = useChatsText();
  const { timezone } = useTeam();
  const seesAll = useMay("team:write");
  const owner: Column<LinkedChat> = {
    key: "owner",
    title: say("owner"),
    cell: (chat) => <bdi>{chat.userName}</bdi>,
  };
  return [
    { key: "name", title: say("person"), isName: true, cell: (chat) => <bdi>{chat.externalName}</bdi> },
    {
      key: "messenger",
      title: say("messenger"),
      cell: (chat) => titleOf(chat.messenger, messengers),
    },
    ...(seesAll ? [owner] : []),
    { key: "linked", title: say("linkedAt"), cell: (chat) => moment(chat.linkedAt, timezone) },
    {
      key: "seen",
      title: say("lastSeen"),
      cell: (chat) => moment(chat.lastSeenAt, timezone) || say("neverSeen"),
    },
    {
      key: "unlink",
      title: say("unlink"),
      isActions: true,
      cell: (chat) => (
        <Button
          kind="quiet"
          icon="trash"
          label={`${say("unlink")}: ${chat.externalName}`}
          onClick={() => onUnlink(chat)}
        />
      ),
    },
  ];
}

function UnlinkDialog({ chat, onClose }: { chat: LinkedChat; onClose: () => void }) {
  const say = useChatsText();
  const unlink = useUnlinking(() => {
    toast(say("unlinked", { name: chat.externalName }));
    onClose();
  });
  return (
    <FormDialog
      title={say("unlinkTitle", { name: chat.externalName })}
      submit={say("unlink")}
      kind="danger"
      busy={unlink.isPending}
      error={unlink.error}
      onClose={onClose}
      onSubmit={() => unlink.mutate(chat.id)}
    >
      <p>{say("unlinkText")}</p>
    </FormDialog>
  );
}

interface WhichMessengerProps {
  messengers: readonly Messenger[];
  create: ReturnType<typeof useNewCode>;
  onClose: () => void;
}

function WhichMessenger({ messengers, create, onClose }: WhichMessengerProps) {
  const say = useChatsText();
  const [chosen, setChosen] = useState(messengers[0]?.name ?? "");
  return (
    <FormDialog
      title={say("linkChat")}
      submit={say("goOn")}
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate(chosen)}
    >
      <Choices
        legend={say("whichMessenger")}
        value={chosen}
        options={messengers.map(({ name, title }) => ({ value: name, label: title }))}
        onChange={setChosen}
      />
    </FormDialog>
  );
}

/** A button that makes a code, at once where there is one messenger only, and what is shown until it is used. */
function useLinking(messengers: readonly Messenger[]) {
  const say = useChatsText();
  const [isChoosing, setChoosing] = useState(false);
  const [made, setMade] = useState<{ code: NewChat; messenger: string } | null>(null);
  const create = useNewCode((code, messenger) => {
    setChoosing(false);
    setMade({ code, messenger });
  });
  const [only, ...others] = messengers;
  const chosen = messengers.find(({ name }) => name === made?.messenger);
  const button = only && (
    <Button
      kind="primary"
      icon="add"
      busy={create.isPending && made === null}
      onClick={() => (others.length === 0 ? create.mutate(only.name) : setChoosing(true))}
    >
      {say("linkChat")}
    </Button>
  );
  const dialogs = (
    <>
      {isChoosing && (
        <WhichMessenger messengers={messengers} create={create} onClose={() => setChoosing(false)} />
      )}
      {made && chosen && (
        <CodeDialog
          key={made.code.id}
          code={made.code}
          messenger={chosen}
          isRenewing={create.isPending}
          onRenew={() => create.mutate(chosen.name)}
          error={create.error}
          onLinked={({ externalName }) => {
            setMade(null);
            toast(say("linked", { name: externalName }));
          }}
          onClose={() => setMade(null)}
        />
      )}
    </>
  );
  return { button, dialogs, error: isChoosing || made ? null : create.error };
}

/** The chats that act for the user, or for anybody of the team for who administers it. */
export function LinkedChats({
  messengers,
  chats,
}: {
  messengers: readonly Messenger[];
  chats: readonly LinkedChat[];
}) {
  const say = useChatsText();
  const seesAll = useMay("team:write");
  const linking = useLinking(messengers);
  const [unlinked, setUnlinked] = useState<LinkedChat | null>(null);
  const columns = useColumns(messengers, setUnlinked);
  return (
    <Card title={say("linkedChats")} actions={linking.button}>
      <p className="soft">
        {say("linkedLead")} {seesAll && say("linkedLeadAll")}
      </p>
      <ProblemNotice error={linking.error} />
      {chats.length === 0 ? (
        <EmptyState icon="chat" title={say("noChats")}>
          {say("noChatsText")}
        </EmptyState>
      ) : (
        <Table caption={say("linkedChats")} columns={columns} rows={chats} rowKey={(chat) => chat.id} />
      )}
      {linking.dialogs}
      {unlinked && <UnlinkDialog chat={unlinked} onClose={() => setUnlinked(null)} />}
    </Card>
  );
}

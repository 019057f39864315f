import { Loaded } from "../../ui/Loaded";
import { ChatPreferences } from "./ChatPreferences";
import { LinkedChats } from "./LinkedChats";
import { Messengers, NoMessenger } from "./Messengers";
import { useLinkedChats, useMessengers, type LinkedChat, type Messenger } from "./queries";

/** Chats stay linked where no messenger is set up any more: they can still be taken away. */
function Sections({ messengers, chats }: { messengers: readonly Messenger[]; chats: readonly LinkedChat[] }) {
  const isSetUp = messengers.length > 0;
  return (
    <>
      {isSetUp ? <Messengers messengers={messengers} /> : <NoMessenger />}
      {(isSetUp || chats.length > 0) && <LinkedChats messengers={messengers} chats={chats} />}
      {isSetUp && <ChatPreferences />}
    </>
  );
}

/** The business in a chat: the server's messengers, the chats that are linked, and what one is sent in them. */
export function Chats() {
  const messengers = useMessengers();
  const chats = useLinkedChats();
  return (
    <Loaded query={messengers} lines={6}>
      {(known) => (
        <Loaded query={chats} lines={6}>
          {(linked) => <Sections messengers={known} chats={linked} />}
        </Loaded>
      )}
    </Loaded>
  );
}

import { useSyncExternalStore } from "react";
import { Notice } from "../ui/notices";
import { useAppText } from "./texts";

function subscribe(listener: () => void): () => void {
  globalThis.addEventListener("online", listener);
  globalThis.addEventListener("offline", listener);
  return () => {
    globalThis.removeEventListener("online", listener);
    globalThis.removeEventListener("offline", listener);
  };
}

/** Says that there is no connection as long as there is none. */
export function OfflineBanner() {
  const say = useAppText();
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div className="offline" role="status">
      {!isOnline && <Notice tone="caution" title={say("offline")} />}
    </div>
  );
}

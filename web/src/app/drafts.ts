import { useCallback, useEffect, useRef, useState, type SetStateAction } from "react";

const PREFIX = "ledgerkit.draft.";

/** Forget what was being typed: at the end of a session nothing of it stays in the browser. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

function read<Draft>(key: string): Draft | null {
  try {
    const stored = sessionStorage.getItem(PREFIX + key);
    return stored === null ? null : (JSON.parse(stored) as Draft);
  } catch {
    return null;
  }
}

/**
 * State of a form that survives a reload, a lost connection and an expired session, until `forget` is called; what is
 * typed after that is kept again.
 * The key names the user, the team and the form: `${team.id}.invoice.new`.
 */
export function useDraft<Draft>(key: string, initial: Draft | (() => Draft)) {
  const [draft, setDraft] = useState<Draft>(
    () => read<Draft>(key) ?? (initial instanceof Function ? initial() : initial),
  );
  const isForgotten = useRef(false);
  const isUntouched = useRef(true);
  useEffect(() => {
    if (isUntouched.current) {
      isUntouched.current = false;
      return;
    }
    if (!isForgotten.current) sessionStorage.setItem(PREFIX + key, JSON.stringify(draft));
  }, [key, draft]);
  const change = useCallback((next: SetStateAction<Draft>) => {
    isForgotten.current = false;
    setDraft(next);
  }, []);
  const forget = useCallback(() => {
    isForgotten.current = true;
    sessionStorage.removeItem(PREFIX + key);
  }, [key]);
  return [draft, change, forget] as const;
}

import { useEffect, useEffectEvent } from "react";

const PAUSE = 500;
const SHORTEST = 4;

/** Fields take what is typed into them; an open dialog takes everything. */
function isForTheScreen(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
  return !isField && document.querySelector("dialog[open]") === null;
}

/** A scanner types the digits of a code and Enter, wherever the focus is. */
export function useScanner(onCode: (code: string) => void): void {
  const take = useEffectEvent(onCode);
  useEffect(() => {
    let typed = "";
    let last = 0;
    function press(event: KeyboardEvent): void {
      if (!isForTheScreen(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.timeStamp - last > PAUSE) typed = "";
      last = event.timeStamp;
      if (event.key.length === 1) typed += event.key;
      if (event.key !== "Enter") return;
      const code = typed.trim();
      typed = "";
      if (code.length < SHORTEST) return;
      event.preventDefault();
      take(code);
    }
    globalThis.addEventListener("keydown", press, true);
    return () => globalThis.removeEventListener("keydown", press, true);
  }, []);
}

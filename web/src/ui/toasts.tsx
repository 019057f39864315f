import { useEffect, useSyncExternalStore } from "react";
import { Button } from "./Button";
import { useUiText } from "./texts";

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

const LASTS = 6_000;
/** Milliseconds in which a slow reader reads a character. */
const READING = 80;
let shown: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function show(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

/** Say that something is done; with `undo` it can be taken back while the notice stands. */
export function toast(text: string, undo?: () => void): void {
  const added: Toast = undo ? { id: nextId, text, undo } : { id: nextId, text };
  nextId += 1;
  show([...shown.slice(-2), added]);
}

export function clearToasts(): void {
  show([]);
}

function dismiss(id: number): void {
  show(shown.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function ToastLine({ id, text, undo }: Toast) {
  const say = useUiText();
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), Math.max(undo ? 2 * LASTS : LASTS, text.length * READING));
    return () => clearTimeout(timer);
  }, [id, undo, text]);
  return (
    <div className="toast">
      <span>{text}</span>
      {undo && (
        <Button
          kind="quiet"
          icon="undo"
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          {say("undo")}
        </Button>
      )}
      <Button kind="quiet" icon="close" label={say("dismiss")} onClick={() => dismiss(id)} />
    </div>
  );
}

export function Toasts() {
  const say = useUiText();
  const toasts = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className="toasts" role="status" aria-label={say("notifications")} aria-live="polite">
      {toasts.map((toast) => (
        <ToastLine key={toast.id} {...toast} />
      ))}
    </div>
  );
}

import { useEffect, useId, useState, type FormEvent, type ReactNode } from "react";
import { createPortal } from "react-dom";
import type { Choice } from "../api/saving";
import { Button, type ButtonKind } from "./Button";
import { Conflict } from "./Conflict";
import { DialogElement } from "./dialogElement";
import { ProblemNotice } from "./notices";
import { useUiText } from "./texts";
import { showUnreadable } from "./unreadable";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** `side` slides in from the edge, for the details of a card. */
  place?: "middle" | "side" | "wide";
}

/** What one types or chooses in; where there is none, the browser puts the focus on the button that closes. */
const FIRST_FIELD = "input:not([type=checkbox], [type=radio], [type=file], :disabled), select, textarea";

/**
 * A dialog of the browser: it begins at its first field, keeps the focus, closes by Escape and gives the focus back.
 * It stands at the end of the page, never inside of a form: what one form has inside another one sends neither.
 */
export function Dialog({ title, onClose, children, place = "middle" }: DialogProps) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  const heading = useId();
  const say = useUiText();
  useEffect(() => {
    if (dialog === null) return;
    const before = document.activeElement;
    if (!dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [dialog]);
  return createPortal(
    <dialog
      ref={setDialog}
      className={`dialog dialog-${place}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <Button kind="quiet" icon="close" label={say("close")} onClick={onClose} />
      </div>
      <DialogElement value={dialog}>{children}</DialogElement>
    </dialog>,
    document.body,
  );
}

interface FormDialogProps extends DialogProps {
  submit: string;
  kind?: ButtonKind;
  busy?: boolean;
  error?: unknown;
  /** Somebody else has changed the record meanwhile: whose stays. */
  conflict?: Choice | null;
  onSubmit: () => void;
}

/** A dialog with a form: Enter sends it unless a number cannot be read, the error stands above the buttons, nothing typed is lost. */
export function FormDialog({
  submit,
  kind = "primary",
  busy = false,
  error,
  conflict = null,
  onSubmit,
  children,
  ...rest
}: FormDialogProps) {
  const say = useUiText();
  function send(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    event.stopPropagation();
    if (!busy && !showUnreadable(event.currentTarget)) onSubmit();
  }
  return (
    <Dialog {...rest}>
      <form onSubmit={send} noValidate>
        {children}
        <Conflict choice={conflict} />
        <ProblemNotice error={error} />
        <div className="dialog-foot">
          <Button onClick={rest.onClose}>{say("cancel")}</Button>
          <Button type="submit" kind={kind} busy={busy}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

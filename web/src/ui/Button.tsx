import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import { Icon, type IconName } from "./Icon";

export type ButtonKind = "primary" | "plain" | "quiet" | "danger";

interface Look {
  kind?: ButtonKind;
  icon?: IconName;
  /** The name of a button that shows its icon only. */
  label?: string;
  children?: ReactNode;
}

type ButtonProps = Look & ButtonHTMLAttributes<HTMLButtonElement> & { busy?: boolean };

function look(kind: ButtonKind, isIconOnly: boolean, className = ""): string {
  return `button button-${kind} ${isIconOnly ? "button-icon" : ""} ${className}`.trim();
}

/** A button. While `busy` it keeps its width and focus, says so, and does nothing. */
export function Button({ kind = "plain", icon, label, busy = false, children, ...rest }: ButtonProps) {
  const { className, onClick, type = "button", ...others } = rest;
  return (
    <button
      {...others}
      type={type}
      className={look(kind, children === undefined, className)}
      aria-label={label ?? others["aria-label"]}
      title={children === undefined ? label : others.title}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind = "plain", icon, label, children, className, ...rest }: Look & LinkProps) {
  return (
    <Link
      {...rest}
      className={look(kind, children === undefined, className)}
      aria-label={label}
      title={children === undefined ? label : undefined}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </Link>
  );
}

import type { ReactNode } from "react";
import { isNoConnection, isUnreadableNumber, ProblemError } from "../api/problem";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";
import { useRemedy } from "./remedies";
import { useUiText } from "./texts";

export type Tone = "info" | "good" | "caution" | "bad";

const ICONS: Record<Tone, IconName> = { info: "info", good: "check", caution: "alert", bad: "alert" };

export function Notice({
  tone = "info",
  title,
  children,
  action,
}: {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={ICONS[tone]} />
      <div className="notice-text">
        {title && <p className="notice-title">{title}</p>}
        {children}
      </div>
      {action && <div className="notice-action">{action}</div>}
    </div>
  );
}

/** Whether the problem sums up its fields' errors and says nothing of its own. */
function tellsOfFieldsOnly({ code, detail, errors }: ProblemError): boolean {
  return (
    code === "VALIDATION_ERROR" &&
    errors.length > 0 &&
    !errors.some(({ field }) => detail.startsWith(`${field}:`))
  );
}

/** What went wrong and what to do, in the app's words where the server's are for programs. */
function inBrief(
  error: unknown,
  say: ReturnType<typeof useUiText>,
): { detail: string; remedy: string | null } {
  if (isNoConnection(error)) return { detail: say("noConnection"), remedy: say("noConnectionRemedy") };
  if (!(error instanceof ProblemError)) return { detail: String(error), remedy: null };
  if (tellsOfFieldsOnly(error)) return { detail: say("checkFields"), remedy: null };
  return error;
}

interface ProblemProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** An error as the server says it: what went wrong, what to do, and the reference of the request. */
export function ProblemNotice({ error, onRetry }: ProblemProps) {
  const say = useUiText();
  if (error === null || error === undefined) return null;
  if (isUnreadableNumber(error)) return <Notice tone="bad" title={say("checkFields")} />;
  return <Told error={error} onRetry={onRetry} />;
}

function Told({ error, onRetry }: ProblemProps) {
  const say = useUiText();
  const inWords = useRemedy();
  const problem = error instanceof ProblemError ? error : null;
  const { detail, remedy } = inBrief(error, say);
  return (
    <Notice tone="bad" title={detail} action={onRetry && <Button onClick={onRetry}>{say("retry")}</Button>}>
      {remedy && <p>{inWords(remedy)}</p>}
      {problem && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((error) => (
            <li key={error.field + error.message}>
              <bdi>{error.field}</bdi>: <bdi>{error.message}</bdi>
            </li>
          ))}
        </ul>
      )}
      {problem?.requestId && (
        <p className="notice-reference">{say("requestId", { id: problem.requestId })}</p>
      )}
    </Notice>
  );
}

/** What stands where there is nothing yet: one sentence and one thing to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <p className="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A place kept for what is on its way, so that nothing jumps. */
export function Loading({ lines = 4 }: { lines?: number }) {
  const say = useUiText();
  return (
    <div className="loading" role="status">
      <span className="only-read">{say("loading")}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

export function Status({ tone, children }: { tone: Tone | "plain"; children: ReactNode }) {
  return <span className={`status status-${tone}`}>{children}</span>;
}

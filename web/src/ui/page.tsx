import { useEffect, type ReactNode } from "react";

interface PageProps {
  title: string;
  /** Buttons of the page, the main one last. */
  actions?: ReactNode;
  /** A line below the title. */
  lead?: ReactNode;
  children: ReactNode;
}

/** A screen: its title (the browser's too), its actions, its content. */
export function Page({ title, actions, lead, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ledgerkit`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <div className="page-lead">{lead}</div>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Card({
  title,
  actions,
  children,
  className,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`card ${className ?? ""}`.trim()}>
      {(title || actions) && (
        <header className="card-head">
          {title && <h2>{title}</h2>}
          {actions && <div className="card-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Names and values of a record. Empty values are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

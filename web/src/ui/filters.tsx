import { useEffect, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { Tabs } from "./Tabs";
import { useUiText } from "./texts";

/**
 * Filters and page of a list as the address holds them: back, reload and a copied link show the same.
 * A change begins with the address of its moment, which may be ahead of what is drawn.
 */
export function useFilters() {
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  function set(changes: Readonly<Record<string, string | null>>): void {
    const after = new URLSearchParams(globalThis.location.search);
    if (!("page" in changes)) after.delete("page");
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") after.delete(name);
      else after.set(name, value);
    }
    void navigate({ search: after.toString() }, { replace: true });
  }
  const get = (name: string) => parameters.get(name);
  const isAnySet = (names: readonly string[]) => names.some((name) => get(name));
  return { get, set, isAnySet, page: Math.max(1, Number(get("page") ?? 1) || 1) };
}

const PAUSE = 250;

/** A search that goes into the address once typing pauses. */
export function SearchField({ label, name = "search" }: { label: string; name?: string }) {
  const say = useUiText();
  const filters = useFilters();
  const inAddress = filters.get(name) ?? "";
  const [typed, setTyped] = useState<string | null>(null);
  const { set } = filters;
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => {
      set({ [name]: typed.trim() });
      setTyped(null);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [typed]); // eslint-disable-line react-hooks/exhaustive-deps -- `set` is new at each drawing
  const shown = typed ?? inAddress;
  return (
    <div className="search" role="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={shown}
        onChange={(event) => setTyped(event.target.value)}
      />
      {shown !== "" && <Button kind="quiet" icon="close" label={say("clear")} onClick={() => setTyped("")} />}
    </div>
  );
}

/** The way back to the whole list; there while one of the filters `names` is set. */
export function ClearFilters({ names }: { names: readonly string[] }) {
  const say = useUiText();
  const { isAnySet, set } = useFilters();
  if (!isAnySet(names)) return null;
  return (
    <Button
      kind="quiet"
      icon="close"
      onClick={() => set(Object.fromEntries(names.map((name) => [name, null])))}
    >
      {say("clearFilters")}
    </Button>
  );
}

export interface Tab {
  value: string;
  label: string;
  count?: number | undefined;
}

/** Views of one list, chosen by a word in the address. */
export function FilterTabs({ label, name, tabs }: { label: string; name: string; tabs: readonly Tab[] }) {
  const [parameters] = useSearchParams();
  const chosen = parameters.get(name) ?? "";
  function address(value: string): string {
    const after = new URLSearchParams(parameters);
    after.delete("page");
    if (value === "") after.delete(name);
    else after.set(name, value);
    return `?${after.toString()}`;
  }
  return (
    <Tabs label={label} chosen={chosen}>
      {tabs.map((tab) => (
        <Link
          key={tab.value}
          to={address(tab.value)}
          replace
          aria-current={tab.value === chosen ? "page" : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <span className="tabs-count">{tab.count}</span>}
        </Link>
      ))}
    </Tabs>
  );
}

/** Where one is in a list, and the way to its other pages. */
export function Pager({ page, pageSize, total }: { page: number; pageSize: number; total: number }) {
  const say = useUiText();
  const { set } = useFilters();
  const pages = Math.max(1, Math.ceil(total / Math.max(1, pageSize)));
  return (
    <nav className="pager" aria-label={say("pages")}>
      <span>{say("total", { count: total })}</span>
      {pages > 1 && (
        <>
          <Button
            icon="left"
            label={say("previous")}
            disabled={page <= 1}
            onClick={() => set({ page: String(page - 1) })}
          />
          <span aria-current="page">{say("pageOf", { page, pages })}</span>
          <Button
            icon="right"
            label={say("next")}
            disabled={page >= pages}
            onClick={() => set({ page: String(page + 1) })}
          />
        </>
      )}
    </nav>
  );
}

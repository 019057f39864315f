import { useState } from "react";
import { useNavigate } from "react-router";
import { useAction } from "../api/actions";
import { download } from "../api/client";
import { useMay } from "../app/session";
import { ButtonLink } from "../ui/Button";
import { Select } from "../ui/fields";
import { FilterTabs, Pager, SearchField, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { Menu } from "../ui/Menu";
import { EmptyState, ProblemNotice } from "../ui/notices";
import { Page } from "../ui/page";
import { useActivation } from "./actions";
import { CsvDialog } from "./CsvDialog";
import { ItemTable } from "./ItemTable";
import { useCategories, useItems, type CatalogFilter } from "./queries";
import { useText } from "./texts";
import "./catalog.css";

type View = CatalogFilter["view"];

function useCatalogFilter(): CatalogFilter {
  const { get, page } = useFilters();
  const view = get("view");
  return {
    view: view === "low" || view === "inactive" ? (view satisfies View) : "all",
    search: get("search"),
    category: get("category"),
    page,
  };
}

function Filters({ view }: { view: View }) {
  const say = useText();
  const { get, set } = useFilters();
  const categories = useCategories();
  const tabs = [
    { value: "", label: say("all") },
    { value: "low", label: say("low") },
    { value: "inactive", label: say("inactive") },
  ];
  return (
    <>
      <FilterTabs label={say("views")} name="view" tabs={tabs} />
      {view !== "low" && (
        <div className="row">
          <SearchField label={say("search")} />
          <Select
            label={say("category")}
            hideLabel
            none={say("allCategories")}
            value={get("category") ?? ""}
            options={(categories.data ?? []).map((name) => ({ value: name, label: name }))}
            onChange={(category) => set({ category })}
          />
        </div>
      )}
    </>
  );
}

function FileMenu({ mayWrite, onCsv }: { mayWrite: boolean; onCsv: () => void }) {
  const say = useText();
  const navigate = useNavigate();
  const exporting = useAction({ run: (path: string) => download(path) });
  return (
    <>
      <ProblemNotice error={exporting.error} />
      <Menu
        text={say("file")}
        icon="download"
        entries={[
          mayWrite && { key: "csv", label: say("importCsv"), icon: "upload", onSelect: onCsv },
          mayWrite && {
            key: "invoice",
            label: say("importInvoice"),
            icon: "camera",
            onSelect: () => void navigate("/catalog/import"),
          },
          {
            key: "comma",
            label: say("exportComma"),
            icon: "download",
            onSelect: () => exporting.mutate("/api/catalog/export"),
          },
          {
            key: "semicolon",
            label: say("exportSemicolon"),
            icon: "download",
            onSelect: () => exporting.mutate("/api/catalog/export?delimiter=%3B"),
          },
        ]}
      />
    </>
  );
}

function NoItems({ isFiltered, mayWrite }: { isFiltered: boolean; mayWrite: boolean }) {
  const say = useText();
  if (isFiltered) {
    return (
      <EmptyState
        icon="search"
        title={say("noMatches")}
        action={<ButtonLink to="/catalog">{say("clearFilter")}</ButtonLink>}
      />
    );
  }
  return (
    <EmptyState
      icon="box"
      title={say("none")}
      action={
        mayWrite && (
          <ButtonLink kind="primary" icon="add" to="/catalog/new">
            {say("newItem")}
          </ButtonLink>
        )
      }
    >
      {say("noneText")}
    </EmptyState>
  );
}

/** What is sold, with its stock changed in place. */
export function CatalogList() {
  const say = useText();
  const mayWrite = useMay("catalog:write");
  const filter = useCatalogFilter();
  const items = useItems(filter);
  const [isCsvOpen, setCsvOpen] = useState(false);
  const activation = useActivation();
  const isFiltered = filter.view !== "all" || filter.search !== null || filter.category !== null;
  return (
    <Page
      title={say("title")}
      actions={
        <>
          <FileMenu mayWrite={mayWrite} onCsv={() => setCsvOpen(true)} />
          {mayWrite && (
            <>
              <ButtonLink icon="barcode" to="/catalog/stock-taking">
                {say("stockTaking")}
              </ButtonLink>
              <ButtonLink kind="primary" icon="add" to="/catalog/new">
                {say("newItem")}
              </ButtonLink>
            </>
          )}
        </>
      }
    >
      <Filters view={filter.view} />
      <ProblemNotice error={activation.error} />
      <Loaded query={items} lines={10}>
        {(page) =>
          page.items.length === 0 ? (
            <NoItems isFiltered={isFiltered} mayWrite={mayWrite} />
          ) : (
            <>
              <ItemTable
                items={page.items}
                mayWrite={mayWrite}
                onActivate={(item, isActive) => activation.mutate({ item, isActive })}
              />
              <Pager page={filter.page} pageSize={page.pageSize} total={page.total} />
            </>
          )
        }
      </Loaded>
      {isCsvOpen && <CsvDialog onClose={() => setCsvOpen(false)} />}
    </Page>
  );
}

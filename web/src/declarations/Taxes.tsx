import { useState } from "react";
import { useMay, useTeam } from "../app/session";
import { today as todayIn } from "../texts/formats";
import { Button } from "../ui/Button";
import { FilterTabs, useFilters } from "../ui/filters";
import { Page } from "../ui/page";
import { Books } from "./Books";
import { Calendar } from "./Calendar";
import { Checks } from "./Checks";
import { DeclarationList } from "./DeclarationList";
import { Generate } from "./Generate";
import { Previous } from "./Previous";
import { ProfileView } from "./profile/ProfileView";
import { useTaxText } from "./texts";
import "./tax.css";

const VIEWS = ["calendar", "list", "checks", "books", "profile"] as const;

/** What has to be filed and when, the declarations, their cross-checks, the record books, and the tax profile. */
export function Taxes() {
  const say = useTaxText();
  const mayWrite = useMay("declarations:write");
  const { get } = useFilters();
  const { timezone } = useTeam();
  const today = todayIn(timezone);
  const [dialog, setDialog] = useState<"generate" | "previous" | null>(null);
  const view = VIEWS.find((view) => view === get("view")) ?? "calendar";
  return (
    <Page
      title={say("title")}
      lead={say("lead")}
      actions={
        mayWrite && (
          <>
            <Button onClick={() => setDialog("previous")}>{say("recordPrevious")}</Button>
            <Button kind="primary" icon="add" onClick={() => setDialog("generate")}>
              {say("prepare")}
            </Button>
          </>
        )
      }
    >
      <FilterTabs
        label={say("views")}
        name="view"
        tabs={VIEWS.map((value) => ({ value: value === "calendar" ? "" : value, label: say(value) }))}
      />
      {view === "calendar" && <Calendar today={today} />}
      {view === "list" && <DeclarationList />}
      {view === "checks" && <Checks today={today} />}
      {view === "books" && <Books today={today} />}
      {view === "profile" && <ProfileView />}
      {dialog === "generate" && <Generate today={today} onClose={() => setDialog(null)} />}
      {dialog === "previous" && <Previous today={today} onClose={() => setDialog(null)} />}
    </Page>
  );
}

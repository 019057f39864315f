import { useMay } from "../app/session";
import { Select } from "../ui/fields";
import { useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { Notice } from "../ui/notices";
import { Page } from "../ui/page";
import { Board } from "./Board";
import { PRIORITIES } from "./columns";
import { Drawer } from "./Drawer";
import { usePeople, useTaskFilter, useTaskOverview, useTasks } from "./queries";
import { useText } from "./texts";
import "./tasks.css";

function Filters() {
  const say = useText();
  const { get, set } = useFilters();
  return (
    <div className="row task-filters">
      <Select
        label={say("who")}
        none={say("everybody")}
        value={get("who") ?? ""}
        options={[{ value: "mine", label: say("mine") }]}
        onChange={(who) => set({ who })}
      />
      <Select
        label={say("priority")}
        none={say("anyPriority")}
        value={get("priority") ?? ""}
        options={PRIORITIES.map((value) => ({ value, label: say(value) }))}
        onChange={(priority) => set({ priority })}
      />
      <Select
        label={say("due")}
        none={say("anyDue")}
        value={get("due") ?? ""}
        options={[
          { value: "overdue", label: say("overdue") },
          { value: "week", label: say("week") },
        ]}
        onChange={(due) => set({ due })}
      />
    </div>
  );
}

/** How many tasks each member has, done ones included. */
function Overview() {
  const say = useText();
  const overview = useTaskOverview();
  return (
    <details className="task-overview">
      <summary>{say("overview")}</summary>
      <Loaded query={overview}>
        {({ byAssignee }) => (
          <ul>
            {byAssignee.map(({ _id, name, email, count }) => (
              <li key={_id ?? "none"}>
                <bdi>{name || email || say("nobody")}</bdi>: {say("overviewCount", { count })}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </details>
  );
}

/** The team's board. */
export function BoardPage() {
  const say = useText();
  const mayWrite = useMay("tasks:write");
  const { get, set } = useFilters();
  const tasks = useTasks(useTaskFilter());
  const people = usePeople();
  const opened = get("task");
  return (
    <Page title={say("title")} lead={mayWrite && say("help")}>
      <Filters />
      <Loaded query={tasks} lines={10}>
        {({ items, total }) => (
          <>
            {total > items.length && <Notice title={say("cut", { count: items.length, total })} />}
            <Board
              tasks={items}
              people={people}
              mayWrite={mayWrite}
              onOpen={(task) => set({ task: task.id })}
            />
          </>
        )}
      </Loaded>
      <Overview />
      {opened && <Drawer key={opened} id={opened} people={people} onClose={() => set({ task: null })} />}
    </Page>
  );
}

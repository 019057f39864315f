import type { KeyboardEvent } from "react";
import { useTeam } from "../app/session";
import { day, today } from "../texts/formats";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { Status } from "../ui/notices";
import { COLUMNS, type Task, type TaskPriority, type TaskStatus } from "./columns";
import { useText } from "./texts";
import type { DragHandlers } from "./useDrag";

const TONES = { urgent: "bad", high: "caution", medium: "plain", low: "plain" } as const satisfies Record<
  TaskPriority,
  string
>;

export interface CardProps {
  task: Task;
  assignee: string | null;
  mayMove: boolean;
  isDragged: boolean;
  drag: DragHandlers;
  onOpen: () => void;
  onKey: (key: string) => boolean;
  onMoveTo: (status: TaskStatus) => void;
}

function Facts({ task, assignee }: { task: Task; assignee: string | null }) {
  const say = useText();
  const { timezone } = useTeam();
  const isLate = task.dueDate !== null && task.status !== "done" && task.dueDate < today(timezone);
  return (
    <div className="task-facts">
      <Status tone={TONES[task.priority]}>{say(task.priority)}</Status>
      {task.dueDate && (
        <Status tone={isLate ? "bad" : "plain"}>
          {say(isLate ? "wasDueOn" : "dueOn", { day: day(task.dueDate) })}
        </Status>
      )}
      {assignee && (
        <span className="task-person">
          <span className="only-read">{say("assignedTo", { name: "" })}</span>
          <bdi>{assignee}</bdi>
        </span>
      )}
      {task.tags.map((tag) => (
        <span key={tag} className="task-tag">
          <bdi>{tag}</bdi>
        </span>
      ))}
    </div>
  );
}

/** A task: its title opens it, its handle is dragged or takes the arrow keys, its menu moves it without either. */
export function Card({ task, assignee, mayMove, isDragged, drag, onOpen, onKey, onMoveTo }: CardProps) {
  const say = useText();
  function press(event: KeyboardEvent): void {
    if (onKey(event.key)) event.preventDefault();
  }
  return (
    <li className={isDragged ? "task task-dragged" : "task"} data-task={task.id}>
      <div className="task-head">
        {mayMove && (
          <button
            {...drag}
            type="button"
            id={`handle-${task.id}`}
            className="task-handle"
            aria-label={say("handle", { title: task.title })}
            onKeyDown={press}
          >
            <Icon name="drag" />
          </button>
        )}
        <button type="button" className="task-title" onClick={onOpen}>
          <bdi>{task.title}</bdi>
        </button>
      </div>
      <Facts task={task} assignee={assignee} />
      {mayMove && (
        <Menu
          text={say("moveTo")}
          icon="right"
          label={say("moveTask", { title: task.title })}
          entries={COLUMNS.filter((status) => status !== task.status).map((status) => ({
            key: status,
            label: say(status),
            icon: "right",
            onSelect: () => onMoveTo(status),
          }))}
        />
      )}
    </li>
  );
}

import { useEffect, useRef, useState } from "react";
import { ProblemNotice } from "../ui/notices";
import { useMove } from "./actions";
import {
  COLUMNS,
  inColumn,
  movedTo,
  positionAt,
  targetOf,
  type Target,
  type Task,
  type TaskStatus,
} from "./columns";
import { Card } from "./Card";
import { QuickAdd } from "./QuickAdd";
import type { Person } from "./queries";
import { useText } from "./texts";
import { useDrag } from "./useDrag";

interface BoardProps {
  tasks: readonly Task[];
  people: readonly Person[];
  mayWrite: boolean;
  onOpen: (task: Task) => void;
}

/** Moves of cards with what is said about them; the focus stays on the handle of the card that was moved. */
function useMoves(tasks: readonly Task[]) {
  const say = useText();
  const [message, setMessage] = useState("");
  const turn = useRef(0);
  const moved = useRef<{ id: string; status: TaskStatus } | null>(null);
  const { move, error, retry } = useMove(({ task }) =>
    setMessage(say("moveRefused", { title: task.title, column: say(task.status) })),
  );
  useEffect(() => {
    if (moved.current === null) return;
    const { id, status } = moved.current;
    // A card that changes its column is drawn anew, and what had the focus is gone; elsewhere the focus is its owner's.
    if (document.activeElement === document.body) document.getElementById(`handle-${id}`)?.focus();
    if (tasks.find((task) => task.id === id)?.status !== status) return;
    document.getElementById(`handle-${id}`)?.focus();
    moved.current = null;
  }, [tasks]);

  function moveTo(task: Task, target: Target): void {
    turn.current += 1;
    moved.current = { id: task.id, status: target.status };
    const column = inColumn(movedTo(tasks, task.id, target), target.status);
    const place = column.findIndex((one) => one.id === task.id) + 1;
    const values = { title: task.title, column: say(target.status), place, count: column.length };
    setMessage(say("moved", values));
    move({ task, target, position: positionAt(tasks, task.id, target), turn: turn.current });
  }
  return { moveTo, message, error, retry };
}

interface ColumnProps extends BoardProps {
  status: TaskStatus;
  dragging: ReturnType<typeof useDrag>;
  moveTo: (task: Task, target: Target) => void;
}

function Column({ status, tasks, people, mayWrite, onOpen, dragging, moveTo }: ColumnProps) {
  const say = useText();
  const column = inColumn(tasks, status);
  const { drag, handlers } = dragging;
  const isOver = drag?.target?.status === status;
  const nameOf = (id: string | null) => people.find((person) => person.id === id)?.name ?? null;

  function press(task: Task, key: string): boolean {
    const target = targetOf(tasks, task, key);
    if (target) moveTo(task, target);
    return key.startsWith("Arrow");
  }

  return (
    <section
      className={isOver ? "column column-over" : "column"}
      data-column={status}
      aria-labelledby={`column-${status}`}
    >
      <h2 id={`column-${status}`}>
        {say(status)} <span className="tabs-count">{column.length}</span>
      </h2>
      <ul>
        {column.map((task) => (
          <Card
            key={task.id}
            task={task}
            assignee={nameOf(task.assignedTo)}
            mayMove={mayWrite}
            isDragged={drag?.id === task.id}
            drag={handlers(task)}
            onOpen={() => onOpen(task)}
            onKey={(key) => press(task, key)}
            onMoveTo={(to) => moveTo(task, { status: to, place: inColumn(tasks, to).length })}
          />
        ))}
      </ul>
      {mayWrite && <QuickAdd status={status} />}
    </section>
  );
}

/** The five columns of the board. */
export function Board(props: BoardProps) {
  const { moveTo, message, error, retry } = useMoves(props.tasks);
  const dragging = useDrag(moveTo);
  return (
    <>
      <output className="only-read" aria-live="assertive">
        {message}
      </output>
      <ProblemNotice error={error} onRetry={retry} />
      <div className="board">
        {COLUMNS.map((status) => (
          <Column key={status} {...props} status={status} dragging={dragging} moveTo={moveTo} />
        ))}
      </div>
    </>
  );
}

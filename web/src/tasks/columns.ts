import type { Schemas } from "../api/client";

export type Task = Schemas["Task"];
export type TaskStatus = Task["status"];
export type TaskPriority = Task["priority"];

export const COLUMNS: readonly TaskStatus[] = ["backlog", "todo", "in_progress", "review", "done"];
export const PRIORITIES: readonly TaskPriority[] = ["urgent", "high", "medium", "low"];

/** Where a task goes: its column, and its place among the other tasks there, from 0. */
export interface Target {
  status: TaskStatus;
  place: number;
}

export function inColumn(tasks: readonly Task[], status: TaskStatus): Task[] {
  return tasks.filter((task) => task.status === status);
}

const others = (tasks: readonly Task[], id: string, status: TaskStatus) =>
  inColumn(tasks, status).filter((task) => task.id !== id);

/** The board after a move; positions are the server's, so only the order is changed here. */
export function movedTo(tasks: readonly Task[], id: string, { status, place }: Target): Task[] {
  const task = tasks.find((task) => task.id === id);
  if (task === undefined) return [...tasks];
  const next = others(tasks, id, status)[place];
  const rest = tasks.filter((task) => task.id !== id);
  const index = next === undefined ? rest.length : rest.indexOf(next);
  return [...rest.slice(0, index), { ...task, status }, ...rest.slice(index)];
}

const GAP = 1024;

/** The position that puts a task there: that of the task that will follow it, else one behind the last. */
export function positionAt(tasks: readonly Task[], id: string, { status, place }: Target): number | null {
  const column = others(tasks, id, status);
  const next = column[place];
  if (next !== undefined) return next.position;
  const last = column.at(-1);
  return last === undefined ? null : last.position + GAP;
}

/** Where an arrow key moves a task; null where there is nothing further in that direction. */
export function targetOf(tasks: readonly Task[], task: Task, key: string): Target | null {
  const column = COLUMNS.indexOf(task.status);
  const place = inColumn(tasks, task.status).findIndex((other) => other.id === task.id);
  const beside = (by: number): Target | null => {
    const status = COLUMNS[column + by];
    return status === undefined ? null : { status, place: Math.min(place, inColumn(tasks, status).length) };
  };
  const within = (by: number): Target | null => {
    const isInside = place + by >= 0 && place + by < inColumn(tasks, task.status).length;
    return isInside ? { status: task.status, place: place + by } : null;
  };
  switch (key) {
    case "ArrowLeft":
      return beside(-1);
    case "ArrowRight":
      return beside(1);
    case "ArrowUp":
      return within(-1);
    case "ArrowDown":
      return within(1);
    default:
      return null;
  }
}

import { expect, it } from "vitest";
import { movedTo, positionAt, targetOf, type Task } from "./columns";

const task = (id: string, status: string, position: number) => ({ id, status, position }) as Task;
const tasks = [task("a", "todo", 1), task("b", "todo", 2), task("c", "todo", 3), task("d", "review", 1)];
const ids = (list: readonly Task[]) => list.map((one) => `${one.id}:${one.status}`).join(" ");
const only = (place: number) => tasks[place] as Task;

it("moves a task before another one, or behind the last", () => {
  expect(ids(movedTo(tasks, "c", { status: "todo", place: 0 }))).toBe("c:todo a:todo b:todo d:review");
  expect(ids(movedTo(tasks, "a", { status: "review", place: 1 }))).toBe("b:todo c:todo d:review a:review");
  expect(positionAt(tasks, "c", { status: "todo", place: 0 })).toBe(1);
  expect(positionAt(tasks, "a", { status: "todo", place: 2 })).toBe(3 + 1024);
  expect(positionAt(tasks, "a", { status: "done", place: 0 })).toBeNull();
});

it("follows the arrow keys as far as the board goes", () => {
  expect(targetOf(tasks, only(1), "ArrowUp")).toEqual({ status: "todo", place: 0 });
  expect(targetOf(tasks, only(0), "ArrowUp")).toBeNull();
  expect(targetOf(tasks, only(2), "ArrowDown")).toBeNull();
  expect(targetOf(tasks, only(2), "ArrowLeft")).toEqual({ status: "backlog", place: 0 });
  expect(targetOf(tasks, only(3), "ArrowRight")).toEqual({ status: "done", place: 0 });
  expect(targetOf(tasks, only(3), "Enter")).toBeNull();
});

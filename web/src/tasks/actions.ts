import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { keyed, useAction } from "../api/actions";
import { api, put, take, type PageOf, type Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import { movedTo, type Target, type Task } from "./columns";

const BOARD = [["tasks"]] as const;
const LIST = ["tasks", "list"] as const;

export interface Move {
  task: Task;
  target: Target;
  position: number | null;
  /** Number of the move: the same move made twice is two intents. */
  turn: number;
}

/** Moves are sent one after another, in the order in which they were made. */
function useInOrder() {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return <Output>(run: () => Promise<Output>): Promise<Output> => {
    const next = last.current.then(run, run);
    last.current = next;
    return next;
  };
}

/** Move a task: shown at once, taken back when the server refuses. */
export function useMove(onRefused: (move: Move) => void) {
  const queries = useQueryClient();
  const inOrder = useInOrder();
  const latest = useRef(0);
  const [refused, setRefused] = useState<{ made: Move; error: ProblemError } | null>(null);
  const show = (id: string, target: Target) =>
    queries.setQueriesData<PageOf<Task>>({ queryKey: LIST }, (page) =>
      page ? { ...page, items: movedTo(page.items, id, target) } : page,
    );
  // Between two moves the server's board is still that of the first: it would take the second one back on the screen.
  const refresh = ({ turn }: Move) => {
    if (turn === latest.current) void queries.invalidateQueries({ queryKey: BOARD[0] });
  };
  const send = ({ task, target, position }: Move, key: string) =>
    inOrder(() =>
      take(
        api.PATCH("/api/tasks/{id}/status", {
          params: { path: { id: task.id } },
          headers: keyed(key),
          body: { status: target.status, position },
        }),
      ),
    );
  const action = useAction({
    // Each move that is refused is told, the earlier of two as well: of a call, `onError` runs for the last one only.
    run: (made: Move, key) =>
      send(made, key).catch((error: ProblemError) => {
        setRefused({ made, error });
        refresh(made);
        onRefused(made);
        throw error;
      }),
    onDone: (_, made) => refresh(made),
  });
  function move(made: Move): void {
    latest.current = made.turn;
    setRefused(null);
    void queries.cancelQueries({ queryKey: LIST });
    show(made.task.id, made.target);
    action.mutate(made);
  }
  return { move, error: refused?.error ?? null, retry: () => refused && move(refused.made) };
}

export function useAddTask(onDone: (task: Task) => void) {
  return useAction({
    run: (body: Schemas["TaskInput"], key) => take(api.POST("/api/tasks", { headers: keyed(key), body })),
    refreshes: BOARD,
    onDone,
  });
}

export interface TaskEdit {
  id: string;
  version: string;
  body: Schemas["TaskChange"];
}

export function useSaveTask(onDone: () => void) {
  return useAction({
    run: ({ id, version, body }: TaskEdit) =>
      take(put(version)("/api/tasks/{id}", { params: { path: { id } }, body })),
    refreshes: BOARD,
    onDone,
  });
}

export function useDeleteTask(onDone: () => void) {
  return useAction({
    run: (id: string) => take(api.DELETE("/api/tasks/{id}", { params: { path: { id } } })),
    refreshes: [
      ["tasks", "list"],
      ["tasks", "overview"],
    ],
    onDone,
  });
}

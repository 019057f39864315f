import { useRef, useState, type PointerEvent } from "react";
import type { Target, Task, TaskStatus } from "./columns";

const THRESHOLD = 6;

export interface Drag {
  id: string;
  target: Target | null;
}

/** The column below a point, and the place among its cards; the dragged card itself does not count. */
function targetAt(x: number, y: number, id: string): Target | null {
  const column = document
    .elementsFromPoint(x, y)
    .map((element) => element.closest<HTMLElement>("[data-column]"))
    .find((element) => element !== null);
  if (!column) return null;
  const cards = [...column.querySelectorAll<HTMLElement>("[data-task]")].filter(
    (card) => card.dataset.task !== id,
  );
  const place = cards.filter((card) => {
    const { top, height } = card.getBoundingClientRect();
    return top + height / 2 < y;
  }).length;
  return { status: column.dataset.column as TaskStatus, place };
}

/** Dragging of cards by mouse, pen or finger: the handle takes the pointer, the card below it shows where it goes. */
export function useDrag(onDrop: (task: Task, target: Target) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const start = useRef<{ x: number; y: number } | null>(null);

  function handlers(task: Task) {
    return {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return;
        start.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (start.current === null) return;
        const { clientX, clientY } = event;
        const distance = Math.hypot(clientX - start.current.x, clientY - start.current.y);
        if (drag === null && distance < THRESHOLD) return;
        setDrag({ id: task.id, target: targetAt(clientX, clientY, task.id) });
      },
      onPointerUp() {
        start.current = null;
        setDrag(null);
        if (drag?.target) onDrop(task, drag.target);
      },
      onPointerCancel() {
        start.current = null;
        setDrag(null);
      },
    };
  }
  return { drag, handlers };
}

export type DragHandlers = ReturnType<ReturnType<typeof useDrag>["handlers"]>;

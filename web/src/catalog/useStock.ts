import { useRef, useState } from "react";
import { decimalText, scaled } from "../money/exact";
import { useStockStep } from "./actions";
import type { CatalogItem } from "./queries";

const SCALE = 4;

/** A stock and whole units more or less, exactly: `3.25` and 2 are `5.25`. */
export function stockAfter(stock: number, units: number): string {
  return decimalText(scaled(String(stock), SCALE) + scaled(String(units), SCALE), SCALE);
}

/**
 * The stock of an item as its buttons change it: shown at once, sent one step at a time (what is pressed meanwhile is
 * the next step), taken back when the server refuses.
 */
export function useStock(item: CatalogItem) {
  const step = useStockStep();
  const steps = useRef({ sent: 0, waiting: 0, turn: 0 });
  const [offset, setOffset] = useState(0);

  function send(delta: number): void {
    steps.current = { sent: delta, waiting: 0, turn: steps.current.turn + 1 };
    step.mutate({ id: item.id, delta, turn: steps.current.turn }, { onSuccess: finish, onError: takeBack });
  }

  function finish(): void {
    const { waiting } = steps.current;
    setOffset(waiting);
    steps.current.sent = 0;
    if (waiting !== 0) send(waiting);
  }

  function takeBack(): void {
    steps.current.sent = 0;
    steps.current.waiting = 0;
    setOffset(0);
  }

  function press(delta: number): void {
    setOffset((before) => before + delta);
    if (steps.current.sent === 0) send(delta);
    else steps.current.waiting += delta;
  }

  function retry(): void {
    if (step.variables === undefined) return;
    setOffset(step.variables.delta);
    steps.current.sent = step.variables.delta;
    step.mutate(step.variables, { onSuccess: finish, onError: takeBack });
  }

  return {
    stock: item.stock === null ? null : stockAfter(item.stock, offset),
    error: step.error,
    press,
    retry,
  };
}

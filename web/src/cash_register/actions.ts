import { useQueryClient } from "@tanstack/react-query";
import { keyed, useAction } from "../api/actions";
import { api, take, type Schemas } from "../api/client";
import type { ProblemError } from "../api/problem";
import type { Attempt } from "./cart";
import { CURRENT, type CashRegister } from "./queries";

const REGISTERS = [
  ["cash-register", "register"],
  ["cash-register", "history"],
  ["cash-register", "open"],
] as const;
const TRADE = [...REGISTERS, ["catalog"], ["invoices"], ["overview"]] as const;

/** Shows the register that a change answered with. */
function useShownRegister() {
  const queries = useQueryClient();
  return (register: CashRegister) => {
    queries.setQueryData<CashRegister | null>(CURRENT, (current) =>
      current && current.id !== register.id ? current : register.status === "open" ? register : null,
    );
  };
}

export function useOpenRegister() {
  const show = useShownRegister();
  return useAction({
    run: (body: Schemas["Opening"], key) =>
      take(api.POST("/api/cash-register", { headers: keyed(key), body })),
    refreshes: REGISTERS,
    onDone: show,
  });
}

export interface RegisterMovement {
  registerId: string;
  body: Schemas["MovementInput"];
}

export function useMovement(onDone: (register: CashRegister) => void) {
  const show = useShownRegister();
  return useAction({
    run: ({ registerId, body }: RegisterMovement, key) =>
      take(
        api.POST("/api/cash-register/{id}/movement", {
          params: { path: { id: registerId } },
          headers: keyed(key),
          body,
        }),
      ),
    refreshes: TRADE,
    onDone: (register) => {
      show(register);
      onDone(register);
    },
  });
}

/** Send a sale with the key that it keeps, also over a reload of the page. */
export function useSale(onSold: (register: CashRegister, attempt: Attempt) => void) {
  const show = useShownRegister();
  return useAction({
    run: ({ registerId, key, body }: Attempt) =>
      take(
        api.POST("/api/cash-register/{id}/movement", {
          params: { path: { id: registerId } },
          headers: keyed(key),
          body,
        }),
      ),
    refreshes: TRADE,
    onDone: (register, attempt) => {
      show(register);
      onSold(register, attempt);
    },
  });
}

/** Whether the server may have done it all the same: no answer, a fault, or the first request still under way. */
export function isUndecided(error: ProblemError): boolean {
  return error.status === 0 || error.status >= 500 || error.status === 409 || error.status === 401;
}

export interface RegisterClosing {
  registerId: string;
  body: Schemas["Closing"];
}

export function useCloseRegister(onDone: (register: CashRegister) => void) {
  const show = useShownRegister();
  return useAction({
    run: ({ registerId, body }: RegisterClosing, key) =>
      take(
        api.POST("/api/cash-register/{id}/close", {
          params: { path: { id: registerId } },
          headers: keyed(key),
          body,
        }),
      ),
    refreshes: REGISTERS,
    onDone: (register) => {
      onDone(register);
      show(register);
    },
  });
}

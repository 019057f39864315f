import { useDraft } from "../app/drafts";
import { useSession, useTeam } from "../app/session";
import { isUndecided, useSale } from "./actions";
import { EMPTY, saleBody, withLine, withQuantity, type Cart, type CartLine, type Method } from "./cart";
import type { CashRegister, Movement } from "./queries";

/** A sale that is done: what its receipt shows. */
export interface Sold {
  movement: Movement;
  warnings: readonly string[];
  /** Cash that the customer gave; null for other methods. */
  given: string | null;
}

/**
 * The sale being made. It survives a reload; while one is on its way it stays as it is, and is sent again with its key,
 * so that it is done once whatever becomes of the connection.
 */
export function useCart(onSold: (sold: Sold) => void) {
  const team = useTeam();
  const { user } = useSession().session;
  const [cart, setCart] = useDraft<Cart>(`${user?.id}.${team.id}.till`, EMPTY);

  const sale = useSale((register: CashRegister, { given }) => {
    const movement = register.movements.at(-1);
    setCart((before) => ({ ...before, lines: [], attempt: null }));
    if (movement) onSold({ movement, given, warnings: register.warnings });
  });

  function send(attempt: NonNullable<Cart["attempt"]>): void {
    sale.mutate(attempt, {
      onError: (error) => {
        if (!isUndecided(error)) setCart((before) => ({ ...before, attempt: null }));
      },
    });
  }

  function charge(registerId: string, method: Method, given: string | null, description: string): void {
    const body = saleBody(cart, method, description);
    const attempt = { registerId, key: crypto.randomUUID(), body, given };
    setCart((before) => ({ ...before, attempt }));
    send(attempt);
  }

  const change = (lines: (before: CartLine[]) => CartLine[]) =>
    setCart((before) => (before.attempt ? before : { ...before, lines: lines(before.lines) }));

  return {
    cart,
    isSending: sale.isPending,
    error: sale.error,
    charge,
    retry: () => cart.attempt && send(cart.attempt),
    add: (line: CartLine) => change((lines) => withLine(lines, line)),
    setQuantity: (key: string, quantity: number) => change((lines) => withQuantity(lines, key, quantity)),
    setDiscount: (key: string, discount: string) =>
      change((lines) => lines.map((line) => (line.key === key ? { ...line, discount } : line))),
    restore: (lines: CartLine[]) => change(() => lines),
    clear: () => change(() => []),
    setPricesIncludeTax: (pricesIncludeTax: boolean) =>
      setCart((before) => (before.attempt ? before : { ...before, pricesIncludeTax })),
  };
}

export type CartState = ReturnType<typeof useCart>;

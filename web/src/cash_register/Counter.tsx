import { useState } from "react";
import { useNavigate } from "react-router";
import { Button, ButtonLink } from "../ui/Button";
import { Menu } from "../ui/Menu";
import { Page } from "../ui/page";
import { toast } from "../ui/toasts";
import { cartTotals, lineOf, shownTotal, withCode, withLine } from "./cart";
import { CartPanel } from "./CartPanel";
import { CashDialog } from "./CashDialog";
import { CloseDialog } from "./CloseDialog";
import { OtherAmountDialog } from "./OtherAmountDialog";
import { PaymentDialog } from "./PaymentDialog";
import { Products } from "./Products";
import { fetchItems, type CashRegister, type CatalogItem } from "./queries";
import { ReceiptDialog } from "./ReceiptDialog";
import { useText } from "./texts";
import { useCart, type CartState, type Sold } from "./useCart";
import { showUnreadable } from "../ui/unreadable";
import { useScanner } from "../ui/useScanner";

type Opened = "pay" | "other" | "cash_in" | "cash_out" | "close" | null;

interface CounterProps {
  register: CashRegister;
  usualRate: string;
  onClosed: (register: CashRegister) => void;
  onReopen: () => void;
}

/** Puts goods into the sale: touched, or found by a code; says what was added, or that nothing has the code. */
function useGoods(state: CartState, usualRate: string, currency: string) {
  const say = useText();
  const [choosing, setChoosing] = useState<CatalogItem | null>(null);
  const [message, setMessage] = useState("");

  function add(item: CatalogItem, variantIndex: number | null): void {
    if (variantIndex === null && item.variants.some((variant) => variant.isActive)) {
      setChoosing(item);
      return;
    }
    const line = lineOf(item, variantIndex, usualRate);
    state.add(line);
    const total = shownTotal(withLine(state.cart.lines, line), state.cart.pricesIncludeTax, currency);
    setMessage(say("added", { name: line.name, total }));
  }

  async function scan(code: string): Promise<void> {
    try {
      const match = withCode(await fetchItems(code), code);
      if (match) add(match.item, match.variantIndex);
      else setMessage(say("unknownCode", { code }));
    } catch (error) {
      setMessage(
        error instanceof Error && error.message !== "" ? error.message : say("unknownCode", { code }),
      );
    }
  }
  return { choosing, setChoosing, message, add, scan: (code: string) => void scan(code) };
}

function TillMenu({ onOpen }: { onOpen: (opened: Opened) => void }) {
  const say = useText();
  const navigate = useNavigate();
  return (
    <Menu
      text={say("moreTill")}
      entries={[
        { key: "in", label: say("cashIn"), icon: "add", onSelect: () => onOpen("cash_in") },
        { key: "out", label: say("cashOut"), icon: "remove", onSelect: () => onOpen("cash_out") },
        {
          key: "history",
          label: say("history"),
          icon: "clock",
          onSelect: () => void navigate("/till/history"),
        },
        { key: "close", label: say("closeTill"), icon: "lock", onSelect: () => onOpen("close") },
      ]}
    />
  );
}

interface DialogsProps extends CounterProps {
  opened: Opened;
  state: CartState;
  onClose: () => void;
}

function Dialogs({ opened, state, register, usualRate, onClosed, onClose }: DialogsProps) {
  const say = useText();
  const { lines, pricesIncludeTax } = state.cart;
  switch (opened) {
    case "pay":
      return (
        <PaymentDialog
          total={cartTotals(lines, pricesIncludeTax).total}
          currency={register.currency}
          onPay={(method, given) => {
            onClose();
            state.charge(register.id, method, given, say("conceptDefault"));
          }}
          onClose={onClose}
        />
      );
    case "other":
      return <OtherAmountDialog usualRate={usualRate} onAdd={state.add} onClose={onClose} />;
    case "cash_in":
    case "cash_out":
      return <CashDialog register={register} kind={opened} onClose={onClose} />;
    case "close":
      return <CloseDialog register={register} onClosed={onClosed} onClose={onClose} />;
    case null:
      return null;
  }
}

/** On a telephone the sale is below the goods: what it comes to, and the way there. */
function CartJump({ state, currency }: { state: CartState; currency: string }) {
  const say = useText();
  const { lines, pricesIncludeTax } = state.cart;
  if (lines.length === 0) return null;
  return (
    <Button
      kind="primary"
      icon="down"
      className="cart-jump"
      onClick={() => document.getElementById("cart-title")?.scrollIntoView({ block: "start" })}
    >
      {say("goToCart", { total: shownTotal(lines, pricesIncludeTax, currency) })}
    </Button>
  );
}

/** The counter of an open register: goods on one side, the sale on the other. */
export function Counter(props: CounterProps) {
  const { register, usualRate, onReopen } = props;
  const say = useText();
  const [opened, setOpened] = useState<Opened>(null);
  const [sold, setSold] = useState<Sold | null>(null);
  const state = useCart(setSold);
  const goods = useGoods(state, usualRate, register.currency);
  useScanner(goods.scan);
  function clear(): void {
    const { lines } = state.cart;
    state.clear();
    toast(say("cleared"), () => state.restore(lines));
  }
  return (
    <Page
      title={say("title")}
      actions={
        <>
          <ButtonLink icon="receipt" to={`/till/${register.id}`}>
            {say("movements")}
          </ButtonLink>
          <TillMenu onOpen={setOpened} />
        </>
      }
    >
      <output className="till-message" aria-live="polite">
        {goods.message}
      </output>
      <div className="counter till-touch">
        <Products
          cart={state.cart}
          usualRate={usualRate}
          choosing={goods.choosing}
          onChoose={goods.setChoosing}
          onAdd={goods.add}
          onCode={goods.scan}
        />
        <CartJump state={state} currency={register.currency} />
        <CartPanel
          state={state}
          currency={register.currency}
          onPay={() => !showUnreadable() && setOpened("pay")}
          onOther={() => setOpened("other")}
          onReopen={onReopen}
          onClear={clear}
        />
      </div>
      <Dialogs {...props} opened={opened} state={state} onClose={() => setOpened(null)} />
      {sold && (
        <ReceiptDialog
          movement={sold.movement}
          currency={register.currency}
          title={say("done")}
          given={sold.given}
          warnings={sold.warnings}
          close={say("newSale")}
          onClose={() => setSold(null)}
        />
      )}
    </Page>
  );
}

import { useEffect, useState } from "react";
import { money } from "../texts/formats";
import { Button, ButtonLink } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Loaded } from "../ui/Loaded";
import { EmptyState } from "../ui/notices";
import { priceOf, type Cart } from "./cart";
import { useTillItems, type CatalogItem } from "./queries";
import { useText } from "./texts";

const PAUSE = 200;

interface ProductsProps {
  cart: Cart;
  usualRate: string;
  /** Item whose variants are offered in place of the items. */
  choosing: CatalogItem | null;
  onChoose: (item: CatalogItem | null) => void;
  onAdd: (item: CatalogItem, variantIndex: number | null) => void;
  onCode: (code: string) => void;
}

interface TileProps {
  name: string;
  detail: string;
  price: string;
  onClick: () => void;
}

function Tile({ name, detail, price, onClick }: TileProps) {
  return (
    <li>
      <button type="button" className="tile" onClick={onClick}>
        <bdi>{name}</bdi>
        <small>{detail}</small>
        <strong>{price}</strong>
      </button>
    </li>
  );
}

function useSearch() {
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, search };
}

function Variants({ choosing, cart, usualRate, onChoose, onAdd }: ProductsProps & { choosing: CatalogItem }) {
  const say = useText();
  const offered = choosing.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.isActive);
  return (
    <section className="stack" aria-label={say("chooseVariant", { name: choosing.name })}>
      <div className="row">
        <Button icon="left" onClick={() => onChoose(null)}>
          {say("backToProducts")}
        </Button>
        <h2>{say("chooseVariant", { name: choosing.name })}</h2>
      </div>
      <ul className="tiles">
        {offered.map(({ variant, index }) => (
          <Tile
            key={index}
            name={variant.name}
            detail={Object.values(variant.attributes).join(" · ")}
            price={money(priceOf(choosing, index, cart, usualRate), choosing.currency)}
            onClick={() => {
              onAdd(choosing, index);
              onChoose(null);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

/** The goods to touch, and the field that searches them or takes a code. */
export function Products(props: ProductsProps) {
  const { cart, usualRate, choosing, onAdd, onCode } = props;
  const say = useText();
  const { typed, setTyped, search } = useSearch();
  const items = useTillItems(search);
  function enter(): void {
    const code = typed.trim();
    if (code === "") return;
    onCode(code);
    setTyped("");
  }
  if (choosing) return <Variants {...props} choosing={choosing} />;
  return (
    <section className="stack" aria-label={say("products")}>
      <div className="search till-search" role="search">
        <Icon name="barcode" />
        <input
          type="search"
          aria-label={say("search")}
          placeholder={say("search")}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            enter();
          }}
        />
      </div>
      <Loaded query={items} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon="box"
              title={say(search === "" ? "noCatalog" : "noProducts")}
              action={search === "" && <ButtonLink to="/catalog">{say("goToCatalog")}</ButtonLink>}
            />
          ) : (
            <ul className="tiles">
              {list.map((item) => (
                <Tile
                  key={item.id}
                  name={item.name}
                  detail={item.sku ?? ""}
                  price={money(priceOf(item, null, cart, usualRate), item.currency)}
                  onClick={() => onAdd(item, null)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

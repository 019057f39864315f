import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { decimal } from "../texts/formats";
import type { CatalogItem } from "./queries";
import { useText } from "./texts";
import { useStock } from "./useStock";

/** The stock of an item between two buttons; of one with variants it is their sum, and changed on its own page. */
export function StockControl({ item, mayWrite }: { item: CatalogItem; mayWrite: boolean }) {
  const say = useText();
  const { stock, error, press, retry } = useStock(item);
  if (stock === null)
    return <span className="soft">{item.type === "service" ? "—" : say("notTracked")}</span>;
  const shown = decimal(stock);
  if (!mayWrite || item.variants.length > 0 || !item.isActive) return <span>{shown}</span>;
  return (
    <div className="stock">
      <div className="stock-buttons">
        <Button icon="remove" label={say("stockDown", { name: item.name })} onClick={() => press(-1)} />
        <output aria-live="polite" aria-label={say("stockOf", { name: item.name, stock: shown })}>
          {shown}
        </output>
        <Button icon="add" label={say("stockUp", { name: item.name })} onClick={() => press(1)} />
      </div>
      {error && <ProblemNotice error={error} onRetry={retry} />}
    </div>
  );
}

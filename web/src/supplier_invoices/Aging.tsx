import { Link } from "react-router";
import { money } from "../texts/formats";
import { Loaded } from "../ui/Loaded";
import { Card } from "../ui/page";
import { BUCKETS, useAging } from "./queries";
import { useText } from "./texts";
import "./supplier_invoices.css";

/** What is owed by its age: a bar for each, which leads to its invoices. */
export function Aging() {
  const say = useText();
  const aging = useAging();
  return (
    <Card title={say("aging")}>
      <Loaded query={aging} lines={6}>
        {({ buckets }) => {
          const largest = Math.max(1, ...BUCKETS.map((bucket) => buckets[bucket]));
          return (
            <ul className="aging">
              {BUCKETS.map((bucket) => (
                <li key={bucket}>
                  <Link to={`/payables?bucket=${bucket}`}>
                    <span>{say(`bucket_${bucket}`)}</span>
                    <span className="aging-bar" aria-hidden="true">
                      <span
                        data-late={bucket === "current" ? undefined : true}
                        style={{ width: `${(100 * buckets[bucket]) / largest}%` }}
                      />
                    </span>
                    <span className="figure">{money(buckets[bucket])}</span>
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

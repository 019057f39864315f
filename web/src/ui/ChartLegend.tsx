import type { CSSProperties } from "react";
import type { Series } from "./Chart";

/** The colours of a chart by name; for a screen reader the chart has its own label and a table. */
export function ChartLegend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="legend" aria-hidden="true">
      {series.map((figure) => (
        <li key={figure.label} style={{ "--series": `var(${figure.color})` } as CSSProperties}>
          {figure.label}
        </li>
      ))}
    </ul>
  );
}

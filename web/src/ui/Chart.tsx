import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { decimal } from "../texts/formats";

export interface Series {
  label: string;
  values: readonly number[];
  /** Name of a token, as `--good`. */
  color: string;
}

interface ChartProps {
  /** What the chart shows; the figures stand in a table for who cannot see it. */
  label: string;
  /** Names of the places on the axis, as months. */
  places: readonly string[];
  series: readonly Series[];
  height?: number;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function options(width: number, { places, series, height = 220 }: ChartProps): uPlot.Options {
  const axis = { stroke: colour("--text-soft"), grid: { stroke: colour("--line"), width: 1 } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      {
        ...axis,
        values: (_, marks) => marks.map((mark) => places[mark] ?? ""),
        incrs: [1, 2, 3, 6, 12],
      },
      { ...axis, size: 70, values: (_, marks) => marks.map((mark) => decimal(mark)) },
    ],
    series: [
      {},
      ...series.map((figure) => ({
        label: figure.label,
        stroke: colour(figure.color),
        width: 2,
        points: { show: true, size: 6 },
      })),
    ],
  };
}

/** Lines over months, drawn on a canvas in the colours of the theme. */
export default function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const data: uPlot.AlignedData = [
      props.places.map((_, index) => index),
      ...props.series.map((figure) => [...figure.values]),
    ];
    const plot = new uPlot(options(element.clientWidth, props), data, element);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: props.height ?? 220 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [props]);
  return (
    <div
      className="chart"
      ref={place}
      role="img"
      aria-label={props.label}
      style={{ minHeight: props.height ?? 220 }}
    />
  );
}

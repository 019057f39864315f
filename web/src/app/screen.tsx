import { lazy, type ComponentType, type ReactNode } from "react";

/** A screen whose code is loaded when it is shown for the first time. */
export function screen(load: () => Promise<ComponentType>): ReactNode {
  const Screen = lazy(async () => ({ default: await load() }));
  return <Screen />;
}

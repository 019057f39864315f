import { useEffect, useState } from "react";

/** The value once it has stayed the same for a while. */
export function usePaused<Value>(value: Value, pause: number): Value {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return paused;
}

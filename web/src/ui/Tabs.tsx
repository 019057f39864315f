import { useEffect, useRef, type ReactNode } from "react";

/** Links of which one is chosen (`aria-current`): as many lines as they need, on a telephone one that is scrolled to it. */
export function Tabs({ label, chosen, children }: { label: string; chosen: string; children: ReactNode }) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tabs.current && current) {
      tabs.current.scrollLeft = current.offsetLeft - (tabs.current.clientWidth - current.offsetWidth) / 2;
    }
  }, [chosen]);
  return (
    <nav ref={tabs} className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}

import { Suspense, useEffect, useRef, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { usePendingCount } from "../approvals/queries";
import { useCountry } from "../countries/country";
import { CountryTexts } from "../texts/country";
import { Button } from "../ui/Button";
import { Loading } from "../ui/notices";
import { Boundary } from "./Boundary";
import { Issuer } from "./Issuer";
import { Navigation } from "./Navigation";
import { Palette, usePaletteKey } from "./Palette";
import { Preferences } from "./Preferences";
import { useSession } from "./session";
import { useAppText } from "./texts";

function focusTitle(main: HTMLElement): boolean {
  const title = [...main.querySelectorAll("h1")].find((one) => one.checkVisibility());
  title?.focus();
  return title !== undefined;
}

/** Move the focus to the title of a screen that has been opened, as a page load would; a record's comes with its data. */
function useFocusOnArrival(): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    const main = document.querySelector("main");
    if (before.current === pathname || main === null) return undefined;
    before.current = pathname;
    if (focusTitle(main)) return undefined;
    const observer = new MutationObserver(() => {
      if (focusTitle(main)) observer.disconnect();
    });
    observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [pathname]);
}

function Frame() {
  const say = useAppText();
  const { pathname } = useLocation();
  const [openedAt, setOpenedAt] = useState<string | null>(null);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const isMenuOpen = openedAt === pathname;
  const waiting = usePendingCount();
  usePaletteKey(() => setPaletteOpen(true));
  useFocusOnArrival();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {say("skip")}
      </a>
      <header className="topbar">
        <Button
          kind="quiet"
          className={`topbar-menu ${waiting > 0 ? "topbar-menu-waiting" : ""}`.trim()}
          icon={isMenuOpen ? "close" : "menu"}
          label={[
            say(isMenuOpen ? "closeMenu" : "openMenu"),
            waiting > 0 && say("waiting", { count: waiting }),
          ]
            .filter(Boolean)
            .join(", ")}
          aria-expanded={isMenuOpen}
          aria-controls="sections"
          onClick={() => setOpenedAt(isMenuOpen ? null : pathname)}
        />
        <Issuer />
        <Button kind="quiet" icon="search" label={say("paletteOpen")} onClick={() => setPaletteOpen(true)} />
        <Preferences />
      </header>
      <Navigation isOpen={isMenuOpen} />
      <main id="content" tabIndex={-1}>
        <Boundary place={pathname}>
          <Suspense fallback={<Loading lines={8} />}>
            <Outlet />
          </Suspense>
        </Boundary>
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

/** The frame of a team's screens, whose texts and forms speak as its country does. */
function TeamFrame() {
  const { data } = useCountry();
  return (
    <CountryTexts value={data ?? null}>
      <Frame />
    </CountryTexts>
  );
}

/** The frame of every screen behind the login. */
export function Shell() {
  const { session } = useSession();
  const { pathname, search } = useLocation();
  if (session.user === null || session.team === null) {
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
    return <Navigate to={`/login${next}`} replace />;
  }
  return <TeamFrame key={session.team.id} />;
}

/** The place of screens before the login. */
export function Alone() {
  const { pathname } = useLocation();
  return (
    <Boundary place={pathname}>
      <Suspense
        fallback={
          <main className="alone">
            <Loading lines={3} />
          </main>
        }
      >
        <Outlet />
      </Suspense>
    </Boundary>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type KeyboardEvent } from "react";
import { useNavigate } from "react-router";
import { api, takePage } from "../api/client";
import { Dialog } from "../ui/Dialog";
import { Icon, type IconName } from "../ui/Icon";
import { useOfferedGroups } from "./Navigation";
import { useMay } from "./session";
import { useAppText } from "./texts";

interface Destination {
  path: string;
  label: string;
  detail: string;
  icon: IconName;
}

/** Open by Ctrl K, or Cmd K on a Mac. */
export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    function press(event: globalThis.KeyboardEvent): void {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open();
      }
    }
    globalThis.addEventListener("keydown", press);
    return () => globalThis.removeEventListener("keydown", press);
  }, [open]);
}

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function useScreens(): Destination[] {
  const say = useAppText();
  const groups = useOfferedGroups();
  const mayDraft = useMay("invoices:draft");
  const mayRecord = useMay("expenses:write");
  const screens = groups.flatMap((group) =>
    group.sections.map(({ path, text, icon }) => ({
      path,
      label: say(text),
      detail: say("screens"),
      icon,
    })),
  );
  const action = (path: string, label: string): Destination => ({
    path,
    label,
    detail: say("actions"),
    icon: "add",
  });
  return [
    ...(mayDraft ? [action("/invoices/new", say("newInvoice"))] : []),
    ...(mayRecord ? [action("/expenses/new", say("newExpense"))] : []),
    ...screens,
  ];
}

function useRecords(text: string): Destination[] {
  const say = useAppText();
  const query = { search: text, limit: 5 };
  const invoices = useQuery({
    queryKey: ["invoices", "palette", text],
    queryFn: ({ signal }) => takePage(api.GET("/api/invoices", { params: { query }, signal })),
    enabled: text.length > 1,
  });
  const clients = useQuery({
    queryKey: ["clients", "palette", text],
    queryFn: ({ signal }) => takePage(api.GET("/api/clients", { params: { query }, signal })),
    enabled: text.length > 1,
  });
  return [
    ...(invoices.data?.items ?? []).map((item) => ({
      path: `/invoices/${item.id}`,
      label: `${item.number ?? "—"} · ${item.client.name}`,
      detail: say("invoices"),
      icon: "invoice" as const,
    })),
    ...(clients.data?.items ?? []).map((item) => ({
      path: `/clients/${item.id}`,
      label: item.name,
      detail: say("clients"),
      icon: "person" as const,
    })),
  ];
}

/** Go anywhere by typing: screens, actions, invoices, clients. */
export function Palette({ onClose }: { onClose: () => void }) {
  const say = useAppText();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const screens = useScreens().filter((one) => plain(one.label).includes(plain(typed.trim())));
  const records = useRecords(typed.trim());
  const destinations = [...screens, ...records];

  function go(destination: Destination | undefined): void {
    if (!destination) return;
    onClose();
    void navigate(destination.path);
  }

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace((place + step + destinations.length) % Math.max(1, destinations.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(destinations[place]);
    }
  }

  return (
    <Dialog title={say("palette")} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-label={say("paletteHint")}
        aria-expanded="true"
        aria-controls="destinations"
        aria-activedescendant={destinations[place] ? `destination-${place}` : undefined}
        placeholder={say("paletteHint")}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setPlace(0);
        }}
        onKeyDown={press}
      />
      <div id="destinations" className="palette-list" role="listbox" aria-label={say("palette")}>
        {destinations.map((target, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field above has the focus and the keys
          <div
            key={target.path}
            id={`destination-${index}`}
            role="option"
            aria-selected={index === place}
            onClick={() => go(target)}
          >
            <Icon name={target.icon} />
            <bdi>{target.label}</bdi>
            <small>{target.detail}</small>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

import {
  Button as AriaButton,
  Menu as AriaMenu,
  MenuItem,
  MenuTrigger,
  Popover,
} from "react-aria-components";
import { Icon, type IconName } from "./Icon";
import { useUiText } from "./texts";

export interface MenuEntry {
  key: string;
  label: string;
  icon?: IconName;
  isDanger?: boolean;
  onSelect: () => void;
}

interface MenuProps {
  entries: readonly (MenuEntry | null | false)[];
  /** What the menu belongs to, as `More actions: F2026-001`. */
  label?: string;
  /** Text of the button; without it the button shows three points. */
  text?: string;
  icon?: IconName;
}

/** A button with a menu: arrows, letters, Escape and touch work. Entries that are null are not offered. */
export function Menu({ entries, label, text, icon = "more" }: MenuProps) {
  const say = useUiText();
  const offered = entries.filter((entry) => entry !== null && entry !== false);
  if (offered.length === 0) return null;
  return (
    <MenuTrigger>
      <AriaButton
        className={text ? "button button-plain" : "button button-quiet button-icon"}
        aria-label={label ?? (text ? undefined : say("more"))}
      >
        <Icon name={icon} />
        {text && <span>{text}</span>}
      </AriaButton>
      <Popover className="menu" placement="bottom end" isNonModal>
        <AriaMenu onAction={(key) => offered.find((entry) => entry.key === key)?.onSelect()}>
          {offered.map((entry) => (
            <MenuItem
              key={entry.key}
              id={entry.key}
              className={entry.isDanger ? "menu-item menu-danger" : "menu-item"}
              textValue={entry.label}
            >
              {entry.icon && <Icon name={entry.icon} />}
              <span>{entry.label}</span>
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

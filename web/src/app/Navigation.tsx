import { NavLink } from "react-router";
import { usePendingCount } from "../approvals/queries";
import { Icon } from "../ui/Icon";
import { GROUPS, type Group } from "./sections";
import { useSession } from "./session";
import { useAppText } from "./texts";

/** The sections that the user's role has, in groups. */
export function useOfferedGroups(): Group[] {
  const { permissions } = useSession().session;
  return GROUPS.map((group) => ({
    ...group,
    sections: group.sections.filter((section) => permissions.includes(section.permission)),
  })).filter((group) => group.sections.length > 0);
}

export function Navigation({ isOpen }: { isOpen: boolean }) {
  const say = useAppText();
  const groups = useOfferedGroups();
  const count = usePendingCount();
  return (
    <nav
      id="sections"
      className={`navigation ${isOpen ? "navigation-open" : ""}`}
      aria-label={say("navigation")}
    >
      {groups.map((group) => (
        <div key={group.text ?? "home"} className="navigation-group">
          {group.text && <p>{say(group.text)}</p>}
          <ul>
            {group.sections.map((section) => (
              <li key={section.path}>
                <NavLink to={section.path} end={section.path === "/"}>
                  <Icon name={section.icon} />
                  {say(section.text)}
                  {section.isCounted && count > 0 && (
                    <span className="navigation-count">
                      <span aria-hidden="true">{count}</span>
                      <span className="only-read">{say("waiting", { count })}</span>
                    </span>
                  )}
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

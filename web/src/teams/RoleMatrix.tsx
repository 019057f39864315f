import type { Schemas } from "../api/client";
import { Icon } from "../ui/Icon";
import { Loaded } from "../ui/Loaded";
import { Card } from "../ui/page";
import { useRoles } from "./queries";
import { useServerWord, useText } from "./texts";
import "./teams.css";

type Rights = Schemas["RoleRights"];

function Cell({ isAllowed }: { isAllowed: boolean }) {
  const say = useText();
  return (
    <td className={isAllowed ? "matrix-yes" : "matrix-no"}>
      {isAllowed ? <Icon name="check" /> : <Icon name="remove" />}
      <span className="only-read">{say(isAllowed ? "may" : "mayNot")}</span>
    </td>
  );
}

function Matrix({ roles }: { roles: readonly Rights[] }) {
  const say = useText();
  const word = useServerWord();
  const permissions = [...new Set(roles.flatMap((role) => role.permissions))].sort();
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and keys must be able to
    <div className="matrix" role="region" aria-label={say("matrix")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say("right")}</th>
            {roles.map((role) => (
              <th key={role.role} scope="col">
                {word(role.role)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {permissions.map((permission) => (
            <tr key={permission}>
              <th scope="row">{permission.split(":").map(word).join(": ")}</th>
              {roles.map((role) => (
                <Cell key={role.role} isAllowed={role.permissions.includes(permission)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What each role may do, from the server's own table. */
export function RoleMatrix() {
  const say = useText();
  const roles = useRoles();
  return (
    <Card title={say("matrix")}>
      <p className="soft">{say("matrixHint")}</p>
      <Loaded query={roles} lines={10}>
        {(data) => <Matrix roles={data} />}
      </Loaded>
    </Card>
  );
}

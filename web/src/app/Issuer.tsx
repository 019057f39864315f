import { useEnvironment } from "../texts/environment";
import { useSession, useTeam } from "./session";
import { SimulationBadge } from "./SimulationBadge";
import { useAppText } from "./texts";

const TONES = { test: "caution", production: "good" } as const;

/**
 * Whose books are open (name and NIF) and where fiscal records go, on every screen and in print.
 *
 * Source: Orden HAC/1177/2024, art. 6 (a system that serves several obligados shows at all times which one it is).
 */
export function Issuer() {
  const say = useAppText();
  const { session, chooseTeam } = useSession();
  const team = useTeam();
  const environment = useEnvironment();
  return (
    <div className="issuer">
      <p className="issuer-name">
        <span className="only-read">{say("issuer")} </span>
        <strong>
          <bdi>{team.company || team.name}</bdi>
        </strong>
        <span className="issuer-tax-id">
          <bdi>{team.taxId ?? say("noTaxId")}</bdi>
        </span>
      </p>
      {environment === "sandbox" ? (
        <SimulationBadge />
      ) : (
        <span className={`status status-${TONES[environment]}`} title={say(`${environment}Hint`)}>
          {say(environment)}
        </span>
      )}
      {session.teams.length > 1 && (
        <select
          aria-label={say("switchTeam")}
          value={team.id}
          onChange={(event) => void chooseTeam(event.target.value)}
        >
          {session.teams.map((team) => (
            <option key={team.id} value={team.id}>
              {team.name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

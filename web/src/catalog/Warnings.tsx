import { Notice } from "../ui/notices";
import { useText } from "./texts";

/** What the server found doubtful in a file, in its words; nothing for none. */
export function Warnings({ warnings }: { warnings: readonly string[] | null | undefined }) {
  const say = useText();
  if (!warnings?.length) return null;
  return (
    <Notice tone="caution" title={say("warnings")}>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <bdi>{warning}</bdi>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

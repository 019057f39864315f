import { Notice } from "./notices";
import { doubtWords } from "./doubtWords";

/** What the server doubts in a record, in words for people. */
export function Doubts({ warnings }: { warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <Notice key={warning} tone="caution">
      <bdi>{doubtWords(warning)}</bdi>
    </Notice>
  ));
}

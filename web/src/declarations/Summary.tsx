import { useTeam } from "../app/session";
import { money, moment } from "../texts/formats";
import { Card, Facts } from "../ui/page";
import type { Declaration } from "./queries";
import { useTaxText } from "./texts";

/** What a declaration comes to, and how it came about. */
export function Summary({ declaration }: { declaration: Declaration }) {
  const say = useTaxText();
  const { currency, timezone } = useTeam();
  const { totals, resultKind, amends, file } = declaration;
  return (
    <Card title={say("summary")}>
      <Facts
        facts={[
          [say("outputVat"), totals.outputVat === 0 ? null : money(totals.outputVat, currency)],
          [say("inputVat"), totals.inputVat === 0 ? null : money(totals.inputVat, currency)],
          [say(resultKind), money(totals.result, currency)],
          [
            say("documents"),
            say("documentsOf", {
              invoices: say("invoiceCount", { count: declaration.invoiceCount }),
              expenses: say("expenseCount", { count: declaration.expenseCount }),
            }),
          ],
          [say("computedAt"), moment(declaration.generatedAt, timezone)],
          [say("submittedAt"), moment(declaration.submittedAt, timezone)],
          [say("layout"), declaration.layoutVersion],
          [say("receipt"), amends?.receiptNumber],
          [say("fileDigest"), file && <span className="mono">{file.sha256}</span>],
        ]}
      />
    </Card>
  );
}

import { useTeam } from "../app/session";
import { Notice } from "../ui/notices";
import { useRemedy } from "../ui/remedies";
import { useSupported, type SupportedForm } from "./queries";
import { useTaxText } from "./texts";

/** Forms of a country, those of another authority last. */
export function offered(forms: readonly SupportedForm[], country: string): SupportedForm[] {
  const own = forms.filter((form) => form.country === country);
  const isElsewhere = (form: SupportedForm) => form.filing?.place === "elsewhere";
  return [...own.filter((form) => !isElsewhere(form)), ...own.filter(isElsewhere)];
}

/** Where a form is filed, if that is not simply here. */
export function FilingNotice({ form }: { form: SupportedForm | undefined }) {
  const inWords = useRemedy();
  if (!form?.filing) return null;
  const { message, remedy } = form.filing;
  return (
    <Notice tone="caution" title={message}>
      {remedy && <p>{inWords(remedy)}</p>}
    </Notice>
  );
}

/** Why forms are not among what is due: each with its authority, and what all of them have in common once. */
export function FiledElsewhere() {
  const say = useTaxText();
  const inWords = useRemedy();
  const { country } = useTeam();
  const { data } = useSupported();
  const told = offered(data?.forms ?? [], country).flatMap(({ form, filing }) =>
    filing ? [{ form, ...filing }] : [],
  );
  if (told.length === 0) return null;
  const messages = [...new Set(told.map((problem) => problem.message))];
  const remedies = [...new Set(told.flatMap((problem) => problem.remedy ?? []))];
  return (
    <Notice tone="caution" title={say("otherAuthorities")}>
      <ul>
        {messages.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      {remedies.map((remedy) => (
        <p key={remedy}>{inWords(remedy)}</p>
      ))}
    </Notice>
  );
}

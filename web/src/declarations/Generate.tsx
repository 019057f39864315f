import { useState } from "react";
import { useNavigate } from "react-router";
import { useTeam } from "../app/session";
import { FormDialog } from "../ui/Dialog";
import { Loaded } from "../ui/Loaded";
import { useGeneration } from "./actions";
import { FilingNotice, offered } from "./Filing";
import { FormPeriod, formOf, initialPeriod, type ChosenPeriod } from "./FormPeriod";
import { useSupported } from "./queries";
import { useTaxText } from "./texts";

/** Compute the declaration of a period that one chooses. */
export function Generate({ today, onClose }: { today: string; onClose: () => void }) {
  const say = useTaxText();
  const navigate = useNavigate();
  const { country } = useTeam();
  const supported = useSupported();
  const [chosen, setChosen] = useState<ChosenPeriod>(initialPeriod(today));
  const forms = offered(supported.data?.forms ?? [], country);
  const form = formOf(forms, chosen);
  const generation = useGeneration((declaration) => {
    onClose();
    void navigate(`/tax/${declaration.id}`);
  });
  return (
    <FormDialog
      title={say("generateTitle")}
      submit={say("generateGo")}
      busy={generation.isPending}
      error={generation.error}
      onSubmit={() => generation.mutate({ country, ...chosen, form: form?.form ?? null })}
      onClose={onClose}
    >
      <p>{say("generateText")}</p>
      <Loaded query={supported} lines={3}>
        {() => <FormPeriod forms={forms} chosen={chosen} onChange={setChosen} error={generation.error} />}
      </Loaded>
      <FilingNotice form={form} />
    </FormDialog>
  );
}

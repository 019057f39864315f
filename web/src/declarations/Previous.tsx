import { useState } from "react";
import { ProblemError } from "../api/problem";
import { useTeam } from "../app/session";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import { DateField, TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { toast } from "../ui/toasts";
import { usePrevious } from "./actions";
import { FormPeriod, initialPeriod, type ChosenPeriod } from "./FormPeriod";
import { useSupported } from "./queries";
import { useTaxText } from "./texts";

interface TypedBox {
  box: string;
  value: string;
}

interface TypedBoxesProps {
  boxes: readonly TypedBox[];
  onChange: (boxes: TypedBox[]) => void;
  refused: (field: string) => string | undefined;
}

function TypedBoxes({ boxes, onChange, refused }: TypedBoxesProps) {
  const say = useTaxText();
  const change = (place: number, changed: Partial<TypedBox>) =>
    onChange(boxes.map((box, index) => (index === place ? { ...box, ...changed } : box)));
  return (
    <fieldset className="stack">
      <legend>{say("previousBoxes")}</legend>
      {boxes.map((typed, place) => (
        <div className="row tax-typed" key={place}>
          <TextField
            label={say("previousBox")}
            value={typed.box}
            onChange={(box) => change(place, { box: box.trim() })}
          />
          <DecimalField
            label={say("previousValue")}
            error={refused(`boxes.${typed.box}`)}
            value={typed.value}
            onChange={(value) => change(place, { value })}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={say("removeBox", { box: typed.box })}
            onClick={() => onChange(boxes.filter((_, index) => index !== place))}
          />
        </div>
      ))}
      <p>
        <Button icon="add" onClick={() => onChange([...boxes, { box: "", value: "" }])}>
          {say("addBox")}
        </Button>
      </p>
    </fieldset>
  );
}

/** What was filed with other software: later declarations go on from its boxes. */
export function Previous({ today, onClose }: { today: string; onClose: () => void }) {
  const say = useTaxText();
  const { country } = useTeam();
  const supported = useSupported();
  const [chosen, setChosen] = useState<ChosenPeriod>(initialPeriod(today));
  const [boxes, setBoxes] = useState<TypedBox[]>([{ box: "71", value: "" }]);
  const [rest, setRest] = useState({ declarationType: "", submitted: "", notes: "" });
  const previous = usePrevious(() => {
    toast(say("previousSaved"));
    onClose();
  });
  const refused = (field: string) =>
    previous.error instanceof ProblemError ? previous.error.forField(field) : undefined;
  function send(): void {
    const typed = boxes.filter((box) => box.box !== "" && box.value !== "");
    previous.mutate({
      country,
      year: chosen.year,
      period: chosen.period,
      boxes: Object.fromEntries(typed.map((one) => [one.box, Number(one.value)])),
      form: chosen.form || null,
      declarationType: rest.declarationType || null,
      submitted: rest.submitted || null,
      notes: rest.notes || null,
    });
  }
  return (
    <FormDialog
      title={say("previousTitle")}
      submit={say("previousSave")}
      busy={previous.isPending}
      error={previous.error}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{say("previousText")}</p>
      <Loaded query={supported} lines={3}>
        {({ forms }) => (
          <FormPeriod
            forms={forms.filter((form) => form.country === country)}
            chosen={chosen}
            onChange={setChosen}
            error={previous.error}
          />
        )}
      </Loaded>
      <TypedBoxes boxes={boxes} onChange={setBoxes} refused={refused} />
      <div className="columns">
        <TextField
          label={say("previousType")}
          error={refused("declarationType")}
          value={rest.declarationType}
          maxLength={1}
          onChange={(declarationType) => setRest({ ...rest, declarationType })}
        />
        <DateField
          label={say("previousDay")}
          error={refused("submitted")}
          value={rest.submitted}
          onChange={(submitted) => setRest({ ...rest, submitted })}
        />
      </div>
      <TextArea label={say("notes")} value={rest.notes} onChange={(notes) => setRest({ ...rest, notes })} />
    </FormDialog>
  );
}

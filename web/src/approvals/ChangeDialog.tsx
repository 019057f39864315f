import { useState } from "react";
import { useTeam } from "../app/session";
import { currencySign } from "../texts/formats";
import { Button } from "../ui/Button";
import { DecimalField } from "../ui/DecimalField";
import { Dialog, FormDialog } from "../ui/Dialog";
import { DateField, TextArea, TextField } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { useReplace } from "./actions";
import {
  changedArguments,
  groupsOf,
  keyOf,
  offeredArguments,
  typedOf,
  type ArgumentField,
  type ArgumentGroup,
  type Arguments,
  type Typed,
} from "./form";
import { useProposal, type WholeProposal } from "./queries";
import { useFieldText, useText } from "./texts";

interface EntryProps {
  field: ArgumentField;
  currency: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Entry({ field, currency, ...rest }: EntryProps) {
  const say = useFieldText();
  const label = say(field.name);
  switch (field.kind) {
    case "day":
      return <DateField label={label} {...rest} />;
    case "long":
      return <TextArea label={label} {...rest} />;
    case "text":
      return <TextField label={label} {...rest} />;
    case "amount":
      return <DecimalField label={label} unit={currencySign(currency)} {...rest} />;
    case "percent":
      return <DecimalField label={label} unit="%" {...rest} />;
    default:
      return <DecimalField label={label} {...rest} />;
  }
}

/** The interface's name of a field in a refusal: `items[0].unitPrice`. */
const nameOf = (path: readonly string[]) =>
  path.map((part, place) => (/^\d+$/.test(part) ? `[${part}]` : place === 0 ? part : `.${part}`)).join("");

interface GroupProps {
  group: ArgumentGroup;
  currency: string;
  typed: Typed;
  errorOf: (name: string) => string | undefined;
  onTyped: (typed: Typed) => void;
}

function useHeading(): (path: readonly string[]) => string | null {
  const say = useText();
  return (path) => {
    const last = path.at(-1);
    if (last === undefined) return null;
    if (/^\d+$/.test(last)) return say("line", { number: Number(last) + 1 });
    return last === "client" ? say("group_client") : null;
  };
}

function Group({ group, currency, typed, errorOf, onTyped }: GroupProps) {
  const heading = useHeading()(group.path);
  return (
    <fieldset className="approval-group">
      {heading && <legend>{heading}</legend>}
      <div className="approval-fields">
        {group.fields.map((field) => {
          const key = keyOf(field.path);
          return (
            <Entry
              key={key}
              field={field}
              currency={currency}
              value={typed[key] ?? ""}
              error={errorOf(nameOf(field.path)) ?? errorOf(`arguments.${nameOf(field.path)}`)}
              onChange={(value) => onTyped({ ...typed, [key]: value })}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

const argumentsOf = ({ operation, arguments: proposed }: WholeProposal) =>
  offeredArguments(operation, proposed as Arguments);

interface FormProps {
  proposal: WholeProposal;
  onReplaced: (proposed: WholeProposal) => void;
  onClose: () => void;
}

function Form({ proposal, onReplaced, onClose }: FormProps) {
  const say = useText();
  const team = useTeam();
  const proposed = argumentsOf(proposal);
  const [typed, setTyped] = useState(() => typedOf(proposed));
  const replace = useReplace(proposal, say("replaced"), onReplaced);
  const currency = typeof proposed["currency"] === "string" ? proposed["currency"] : team.currency;
  return (
    <FormDialog
      title={say("changeTitle")}
      submit={say("seeResult")}
      busy={replace.isPending}
      error={replace.error}
      onClose={onClose}
      onSubmit={() => replace.mutate(changedArguments(proposed, typed))}
    >
      <p className="soft">{say("changeLead")}</p>
      {groupsOf(proposed).map((group) => (
        <Group
          key={keyOf(group.path)}
          group={group}
          currency={currency}
          typed={typed}
          errorOf={(name) => replace.error?.forField(name)}
          onTyped={setTyped}
        />
      ))}
    </FormDialog>
  );
}

/** Change what is proposed before it is approved: a small form of its texts, numbers and days. */
export function ChangeDialog({ id, ...rest }: { id: string } & Omit<FormProps, "proposal">) {
  const say = useText();
  const proposal = useProposal(id);
  const hasFields = proposal.data && groupsOf(argumentsOf(proposal.data)).length > 0;
  if (proposal.data && hasFields) return <Form proposal={proposal.data} {...rest} />;
  return (
    <Dialog title={say("changeTitle")} onClose={rest.onClose}>
      <Loaded query={proposal}>{() => <p>{say("nothingToChange")}</p>}</Loaded>
      <div className="dialog-foot">
        <Button onClick={rest.onClose}>{say("back")}</Button>
      </div>
    </Dialog>
  );
}

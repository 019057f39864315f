import { useState } from "react";
import type { Versioned } from "../api/client";
import { useTeam } from "../app/session";
import { currencySign } from "../texts/formats";
import { Button } from "../ui/Button";
import { Conflict } from "../ui/Conflict";
import { DecimalField } from "../ui/DecimalField";
import { Checkbox, Choices, Select } from "../ui/fields";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { toast } from "../ui/toasts";
import {
  asForm,
  useConnections,
  usePolicy,
  useSavingPolicy,
  type Asked,
  type Connection,
  type Policy,
  type PolicyForm,
  type Rule,
} from "./policy";
import { useText } from "./texts";

const PLACES: readonly Asked[] = ["host", "app", "limits"];

interface LimitsProps {
  rule: Rule;
  onChange: (changes: Partial<Rule>) => void;
  error: string | undefined;
}

/** Up to which total, and for whom, the assistant asks itself. */
function Limits({ rule, onChange, error }: LimitsProps) {
  const say = useText();
  const { currency } = useTeam();
  if (rule.asked !== "limits") return null;
  return (
    <>
      <DecimalField
        label={say("upTo")}
        hint={say("upToHint")}
        required
        unit={currencySign(currency)}
        value={rule.upTo}
        onChange={(upTo) => onChange({ upTo })}
        error={error}
      />
      <Checkbox
        label={say("knownClients")}
        hint={say("knownClientsHint")}
        checked={rule.knownClients}
        onChange={(knownClients) => onChange({ knownClients })}
      />
    </>
  );
}

interface ConnectionRuleProps {
  connection: Connection | null;
  rule: Rule | undefined;
  /** Null: the account's rule holds for it. */
  onChange: (rule: Rule | null) => void;
  error: string | undefined;
}

const named = ({ name, person }: Connection) => (person === null ? name : `${name} (${person})`);

function hintOf({ kind, person }: Connection) {
  if (person === null) return kind === "key" ? "isKey" : "isApplication";
  return kind === "key" ? "isOthersKey" : "isOthersApplication";
}

function ConnectionRule({ connection, rule, onChange, error }: ConnectionRuleProps) {
  const say = useText();
  const hint = connection && say(hintOf(connection));
  const label = connection ? named(connection) : say("otherConnection");
  const place = (asked: string): Rule => ({
    upTo: "",
    knownClients: false,
    ...rule,
    asked: asked as Asked,
  });
  return (
    <li>
      <div className="stack" role="group" aria-label={label}>
        <Select
          label={label}
          hint={hint}
          none={say("asAccount")}
          options={PLACES.map((value) => ({ value, label: say(`${value}Place`) }))}
          value={rule?.asked ?? ""}
          onChange={(asked) => onChange(asked === "" ? null : place(asked))}
        />
        {rule && (
          <Limits rule={rule} onChange={(changes) => onChange({ ...rule, ...changes })} error={error} />
        )}
      </div>
    </li>
  );
}

interface PolicyFieldsProps {
  policy: Versioned<Policy>;
  connections: readonly Connection[];
}

function PolicyFields({ policy, connections }: PolicyFieldsProps) {
  const say = useText();
  const [form, setForm] = useState(() => asForm(policy.data));
  const [stored, setStored] = useState(form);
  const save = useSavingPolicy(policy, form, stored, {
    form: (now) => {
      setForm(now);
      setStored(now);
    },
    saved: () => toast(say("saved")),
  });
  const change = (changes: Partial<PolicyForm>) => setForm((before) => ({ ...before, ...changes }));
  const ids = Object.keys(form.connections);
  function changeRule(id: string, rule: Rule | null): void {
    const others = Object.entries(form.connections).filter(([other]) => other !== id);
    change({ connections: Object.fromEntries(rule ? [...others, [id, rule]] : others) });
  }
  const ofRule = (id: string) => ({
    rule: form.connections[id],
    onChange: (rule: Rule | null) => changeRule(id, rule),
    error: save.error?.forField(`connections[${ids.indexOf(id)}].upTo`),
  });
  const shown = connections.filter(({ id, person }) => person === null || id in stored.connections);
  const others = Object.keys(stored.connections).filter((id) => !connections.some((one) => one.id === id));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.save();
      }}
    >
      <Card title={say("approvalsSection")}>
        <div className="stack">
          <p className="soft">{say("policyLead")}</p>
          <Choices
            legend={say("policyQuestion")}
            value={form.asked}
            onChange={(asked) => change({ asked })}
            options={PLACES.map((value) => ({
              value,
              label: say(`${value}Place`),
              hint: say(`${value}PlaceHint`),
            }))}
          />
          <Limits rule={form} onChange={change} error={save.error?.forField("upTo")} />
        </div>
      </Card>
      <Card title={say("connectionRules")}>
        <div className="stack">
          <p className="soft">
            {say(shown.length + others.length > 0 ? "connectionRulesLead" : "noConnections")}
          </p>
          <ul className="entries">
            {shown.map((one) => (
              <ConnectionRule key={one.id} connection={one} {...ofRule(one.id)} />
            ))}
            {others.map((id) => (
              <ConnectionRule key={id} connection={null} {...ofRule(id)} />
            ))}
          </ul>
        </div>
      </Card>
      <Conflict choice={save.conflict} />
      <ProblemNotice error={save.error} onRetry={save.save} />
      <div className="row">
        <Button type="submit" kind="primary" busy={save.isPending}>
          {say("save")}
        </Button>
      </div>
    </form>
  );
}

/** Where a person is asked about what assistants want done: of the account, and of single connections. */
export function ApprovalPolicy() {
  const policy = usePolicy();
  const connections = useConnections();
  return (
    <Loaded query={policy} lines={10}>
      {(loaded) => (
        <Loaded query={connections} lines={4}>
          {(known) => <PolicyFields policy={loaded} connections={known} />}
        </Loaded>
      )}
    </Loaded>
  );
}

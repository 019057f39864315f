import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, NO_VERSION, put, take, takeVersioned, type Schemas, type Versioned } from "../api/client";
import { useSaving } from "../api/saving";
import { fieldAmount } from "../money/exact";

export type Asked = Schemas["Asked"];

/** Where a person is asked, as a form types it: the amount is decimal text, empty for none. */
export interface Rule {
  asked: Asked;
  upTo: string;
  knownClients: boolean;
}

/** The account's rule, and those of single connections by the id of the key or grant. */
export interface PolicyForm extends Rule {
  connections: Readonly<Record<string, Rule>>;
}

/** A key or an application that works in these books: one of the user, or a colleague's that has a rule. */
export interface Connection {
  id: string;
  name: string;
  kind: "key" | "application";
  /** Name of the colleague whose it is; null for the user's own. */
  person: string | null;
}

export type Policy = Schemas["ApprovalPolicy"];

interface StoredRule {
  asked?: Asked;
  upTo?: number | null;
  knownClients?: boolean;
}

const asRule = ({ asked, upTo, knownClients }: StoredRule): Rule => ({
  asked: asked ?? "host",
  upTo: fieldAmount(upTo ?? null),
  knownClients: knownClients ?? false,
});

export function asForm(policy: Policy): PolicyForm {
  const rules = (policy.connections ?? []).map((rule) => [rule.connection, asRule(rule)] as const);
  return { ...asRule(policy), connections: Object.fromEntries(rules) };
}

/** An amount is sent only where the rule has one; one that cannot be read is NaN, which no request carries. */
function asFields({ asked, upTo, knownClients }: Rule) {
  const isLimited = asked === "limits";
  return {
    asked,
    upTo: isLimited && upTo !== "" ? Number(upTo) : null,
    knownClients: isLimited && knownClients,
  };
}

/** The rules as the interface takes them, those of connections in the order of the form. */
export function asPolicy(form: PolicyForm): Schemas["ApprovalPolicyInput"] {
  const connections = Object.entries(form.connections);
  return {
    ...asFields(form),
    connections: connections.map(([connection, rule]) => ({ connection, ...asFields(rule) })),
  };
}

/** The form with the rules that somebody else has made meanwhile: of connections without one when it was read. */
export function withNewRules(form: PolicyForm, read: PolicyForm, now: PolicyForm): PolicyForm {
  const isNew = (id: string) => !(id in read.connections) && !(id in form.connections);
  const made = Object.entries(now.connections).filter(([id]) => isNew(id));
  return { ...form, connections: { ...form.connections, ...Object.fromEntries(made) } };
}

const POLICY = ["approval-policy"] as const;
const CONNECTIONS = [...POLICY, "connections"] as const;

const fetchPolicy = (signal?: AbortSignal): Promise<Versioned<Policy>> =>
  takeVersioned(api.GET("/api/approvals/policy", signal ? { signal } : {}));

export function usePolicy() {
  return useQuery({ queryKey: POLICY, queryFn: ({ signal }) => fetchPolicy(signal) });
}

/** Keys and applications of the user in the open books, and those of colleagues that have a rule. */
export function useConnections() {
  return useQuery({
    queryKey: CONNECTIONS,
    queryFn: async ({ signal }): Promise<Connection[]> => {
      const all = await take(api.GET("/api/approvals/policy/connections", { signal }));
      return all.map(({ connection, isOwn, person, ...of }) => ({
        id: connection,
        person: isOwn ? null : person,
        ...of,
      }));
    },
  });
}

/**
 * Saves all rules upon the version that was read; `on.form` gets what is stored then, or what somebody else has stored.
 * `stored` is the form as it was before it was changed here.
 */
export function useSavingPolicy(
  read: Versioned<Policy>,
  form: PolicyForm,
  stored: PolicyForm,
  on: { form: (stored: PolicyForm) => void; saved: () => void },
) {
  const queries = useQueryClient();
  return useSaving<Policy, Policy>({
    read,
    shown: asForm,
    reload: async () => {
      const now = await fetchPolicy();
      await queries.invalidateQueries({ queryKey: CONNECTIONS });
      return now;
    },
    run: (version, _, upon) => {
      const all = upon ? withNewRules(form, stored, asForm(upon)) : form;
      return put(version ?? NO_VERSION)("/api/approvals/policy", { body: asPolicy(all) });
    },
    refreshes: [POLICY],
    onDone: (saved) => {
      on.form(asForm(saved));
      on.saved();
    },
    onTheirs: (theirs) => on.form(asForm(theirs)),
  });
}

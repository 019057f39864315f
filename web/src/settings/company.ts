import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keyed, useAction } from "../api/actions";
import {
  api,
  NO_VERSION,
  put,
  takeVersioned,
  type Answer,
  type Schemas,
  type Versioned,
} from "../api/client";
import { remembered } from "../texts/remembered";
import { useSession } from "../app/session";
import { credentials } from "../api/credentials";
import { toast } from "../ui/toasts";

export type TeamRecord = Schemas["Team"];
export type TeamFields = Schemas["TeamInput"];

/** The company's data as a form types it: decimal text for rates, empty text for what is not there. */
export interface CompanyForm {
  name: string;
  company: string;
  taxId: string;
  country: string;
  address: string;
  postalCode: string;
  city: string;
  province: string;
  email: string;
  phone: string;
  iban: string;
  timezone: string;
  defaultTaxRate: string;
  defaultRetentionRate: string;
  paymentTermDays: string;
  higherSimplifiedLimit: boolean;
  invoiceSeries: string;
  simplifiedSeries: string;
  creditNoteSeries: string;
  regime: string;
  regimeFrom: string;
  logo: string | null;
}

/** Country and time zone are those of the personal workspace that becomes the company's, the term the country's. */
export const EMPTY_COMPANY: CompanyForm = {
  name: "",
  company: "",
  taxId: "",
  country: "",
  address: "",
  postalCode: "",
  city: "",
  province: "",
  email: "",
  phone: "",
  iban: "",
  timezone: "",
  defaultTaxRate: "",
  defaultRetentionRate: "",
  paymentTermDays: "",
  higherSimplifiedLimit: false,
  invoiceSeries: "",
  simplifiedSeries: "",
  creditNoteSeries: "",
  regime: "",
  regimeFrom: "",
  logo: null,
};

const text = (value: string | number | null | undefined): string =>
  value === null ? "" : String(value ?? "");

export function asForm(team: TeamRecord): CompanyForm {
  return {
    name: team.name,
    company: text(team.company),
    taxId: text(team.taxId),
    country: team.country,
    address: text(team.address),
    postalCode: text(team.postalCode),
    city: text(team.city),
    province: text(team.province),
    email: text(team.email),
    phone: text(team.phone),
    iban: text(team.iban),
    timezone: team.timezone,
    defaultTaxRate: text(team.defaultTaxRate),
    defaultRetentionRate: text(team.defaultRetentionRate),
    paymentTermDays: text(team.paymentTermDays),
    higherSimplifiedLimit: team.higherSimplifiedLimit,
    invoiceSeries: text(team.series.invoice),
    simplifiedSeries: text(team.series.simplified),
    creditNoteSeries: text(team.series.creditNote),
    regime: text(team.regime),
    regimeFrom: text(team.regimeFrom),
    logo: team.logo,
  };
}

const orNull = (value: string): string | null => value.trim() || null;
const rateOrNull = (value: string): number | null => (value === "" ? null : Number(value));

export function asFields(form: CompanyForm): TeamFields {
  const company = orNull(form.company);
  return {
    name: form.name.trim() || (company ?? ""),
    country: form.country,
    company,
    taxId: orNull(form.taxId),
    address: orNull(form.address),
    postalCode: orNull(form.postalCode),
    city: orNull(form.city),
    province: orNull(form.province),
    email: orNull(form.email),
    phone: orNull(form.phone),
    iban: orNull(form.iban),
    timezone: orNull(form.timezone),
    defaultTaxRate: rateOrNull(form.defaultTaxRate),
    defaultRetentionRate: rateOrNull(form.defaultRetentionRate),
    paymentTermDays: rateOrNull(form.paymentTermDays),
    higherSimplifiedLimit: form.higherSimplifiedLimit,
    series: {
      invoice: orNull(form.invoiceSeries),
      simplified: orNull(form.simplifiedSeries),
      creditNote: orNull(form.creditNoteSeries),
    },
    regime: orNull(form.regime), // with its first day as it was read, it states nothing
    regimeFrom: orNull(form.regimeFrom),
    logo: form.logo,
  };
}

/** The team whose books are open, whole; only for who has one. */
export function useCurrentTeam(isTeam: boolean) {
  return useQuery({ ...CURRENT, enabled: isTeam, select: ({ data }) => data });
}

/** The same with its version. */
export function useVersionedTeam(isTeam: boolean) {
  return useQuery({ ...CURRENT, enabled: isTeam });
}

export async function fetchTeam(signal?: AbortSignal): Promise<Versioned<TeamRecord>> {
  const read = await takeVersioned(api.GET("/api/teams/current", signal ? { signal } : {}));
  return { ...read, data: read.data.team };
}

const CURRENT = {
  queryKey: ["team", "current"],
  queryFn: ({ signal }: { signal: AbortSignal }) => fetchTeam(signal),
};

/** Change the company's data upon a version of them. */
export async function changeTeam(form: CompanyForm, version: string): Promise<Answer<TeamRecord>> {
  const { data, response } = await put(version)("/api/teams/current", { body: asFields(form) });
  return { ...(data ? { data: data.team } : {}), response };
}

async function save(form: CompanyForm, version: string | null, key: string): Promise<Versioned<TeamRecord>> {
  if (version !== null) return takeVersioned(changeTeam(form, version));
  return takeVersioned(api.POST("/api/teams", { body: asFields(form), headers: keyed(key) }));
}

/**
 * Save the company's data in a step of the first run: the first time it makes the personal workspace a team, with all
 * that is in it; later upon the version that was there when the step began.
 */
export function useSaveCompany(isTeam: boolean, onDone: (team: TeamRecord) => void) {
  const { refresh } = useSession();
  const queries = useQueryClient();
  const [version] = useState(
    () => queries.getQueryData<Versioned<TeamRecord>>(CURRENT.queryKey)?.version ?? NO_VERSION,
  );
  return useAction({
    run: (form: CompanyForm, key) => save(form, isTeam ? version : null, key),
    onDone: async (saved) => {
      const team = saved.data;
      queries.setQueryData(CURRENT.queryKey, saved);
      remembered.write("team", team.id);
      credentials.teamId = team.id;
      await refresh();
      for (const warning of team.warnings) toast(warning);
      onDone(team);
    },
  });
}

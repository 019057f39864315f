import { useQuery } from "@tanstack/react-query";
import { api, take, type Schemas } from "../api/client";
import { ProblemError } from "../api/problem";
import { useTeam } from "../app/session";
import { useLanguage } from "../texts/language";

/** A country as the server describes it; of one that it does not have, no payment term is known. */
export type Country = Omit<Schemas["Country"], "paymentTermDays"> & { paymentTermDays: number | null };

/** A country of which the server knows nothing: nothing is offered, and any rate is taken. */
export const unknownCountry = (code: string): Country => ({
  code,
  taxRates: [],
  exemptions: [],
  correctionReasons: [],
  taxWords: null,
  hints: {},
  exampleClients: [],
  paymentTermDays: null,
});

async function fetchCountry(code: string, signal: AbortSignal): Promise<Country> {
  try {
    return await take(api.GET("/api/countries/{code}", { params: { path: { code } }, signal }));
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return unknownCountry(code);
    throw error;
  }
}

/** The query of the team's country in the language of the interface; until it comes, in the language before. */
export function useCountryQuery() {
  const { country: code } = useTeam();
  const language = useLanguage();
  return {
    queryKey: ["countries", code, language],
    queryFn: ({ signal }: { signal: AbortSignal }) => fetchCountry(code, signal),
    placeholderData: (before: Country | undefined) => (before?.code === code ? before : undefined),
    staleTime: Infinity,
    gcTime: Infinity,
  };
}

/** The team's country; asked for once. */
export const useCountry = () => useQuery(useCountryQuery());

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api, take } from "../api/client";
import { ProblemError } from "../api/problem";
import { useTeam } from "../app/session";
import { today } from "../texts/formats";
import { useLanguage } from "../texts/language";
import { unknownCountry, type Country, type Offer } from "./taxes";

async function fetchCountry(code: string, signal: AbortSignal): Promise<Country> {
  try {
    return await take(api.GET("/api/countries/{code}", { params: { path: { code } }, signal }));
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return unknownCountry(code);
    throw error;
  }
}

/** What forms offer of the taxes of the team's country, in the language of the interface; asked for once, if `isNeeded`. */
export function useOffer(isNeeded = true): UseQueryResult<Offer> {
  const { country: code, timezone } = useTeam();
  const language = useLanguage();
  return useQuery({
    queryKey: ["countries", code, language],
    queryFn: ({ signal }) => fetchCountry(code, signal),
    select: (country): Offer => ({ country, today: today(timezone) }),
    enabled: isNeeded,
    staleTime: Infinity,
    gcTime: Infinity,
  });
}

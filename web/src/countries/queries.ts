import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useTeam } from "../app/session";
import { today } from "../texts/formats";
import { useCountryQuery, type Country } from "./country";
import type { Offer } from "./taxes";

/** What forms offer of the taxes of the team's country, in the language of the interface; asked for once, if `isNeeded`. */
export function useOffer(isNeeded = true): UseQueryResult<Offer> {
  const { timezone } = useTeam();
  return useQuery({
    ...useCountryQuery(),
    select: (country: Country): Offer => ({ country, today: today(timezone) }),
    enabled: isNeeded,
  });
}

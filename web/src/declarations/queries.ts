import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, type PageOf, type Schemas } from "../api/client";

export type Declaration = Schemas["TaxDeclaration"];
export type DeclarationRow = Schemas["DeclarationOverview"];
export type CalendarEntry = Schemas["CalendarEntry"];
export type CrossCheck = Schemas["CrossCheckResult"];
export type SupportedForm = Schemas["SupportedForm"];
export type Profile = Readonly<Record<string, unknown>>;

/** A declaration and its version, by which a change of what somebody else changed meanwhile is refused. */
export interface Versioned {
  declaration: Declaration;
  version: string;
}

/** What is due in a year; without one, in this year and the next days. */
export function useCalendar(year: number | null, country: string) {
  const query = year === null ? { country } : { country, year };
  return useQuery({
    queryKey: ["declarations", "calendar", query],
    queryFn: ({ signal }) => take(api.GET("/api/tax-declarations/calendar", { params: { query }, signal })),
  });
}

export function useCrossChecks(year: number, country: string) {
  return useQuery({
    queryKey: ["declarations", "checks", year, country],
    queryFn: ({ signal }) =>
      take(api.GET("/api/tax-declarations/checks", { params: { query: { year, country } }, signal })),
  });
}

export function useSupported() {
  return useQuery({
    queryKey: ["declarations", "supported"],
    queryFn: ({ signal }) => take(api.GET("/api/tax-declarations/supported", { signal })),
  });
}

export interface ListFilter {
  year: number | null;
  form: string | null;
  status: "draft" | "submitted" | null;
  page: number;
}

async function fetchList(
  { year, form, status, page }: ListFilter,
  signal: AbortSignal,
): Promise<PageOf<DeclarationRow>> {
  const query = { page, ...(year ? { year } : {}), ...(form ? { form } : {}), ...(status ? { status } : {}) };
  const call = api.GET("/api/tax-declarations", { params: { query }, signal });
  return takePage(call.then(({ data, response }) => ({ data: data?.declarations ?? [], response })));
}

export function useDeclarations(filter: ListFilter) {
  return useQuery({
    queryKey: ["declarations", "list", filter],
    queryFn: ({ signal }) => fetchList(filter, signal),
    placeholderData: (before) => before,
  });
}

export function useDeclaration(id: string) {
  return useQuery({
    queryKey: ["declarations", "one", id],
    queryFn: async ({ signal }): Promise<Versioned> => {
      const call = await api.GET("/api/tax-declarations/{id}", { params: { path: { id } }, signal });
      const { declaration } = call.data as Schemas["DeclarationAnswer"];
      return { declaration, version: call.response.headers.get("etag") ?? "" };
    },
  });
}

export function useEvidence(id: string, box: string, page: number, enabled: boolean) {
  return useQuery({
    queryKey: ["declarations", "evidence", id, box, page],
    queryFn: ({ signal }) =>
      takePage(
        api.GET("/api/tax-declarations/{id}/evidence", {
          params: { path: { id }, query: { box, page, limit: 25 } },
          signal,
        }),
      ),
    enabled,
    placeholderData: (before) => before,
  });
}

/** The file of a draft; a refusal names what it lacks. */
export function useFile(id: string) {
  return useQuery({
    queryKey: ["declarations", "file", id],
    queryFn: ({ signal }) =>
      take(api.GET("/api/tax-declarations/{id}/file", { params: { path: { id } }, parseAs: "text", signal })),
    retry: false,
  });
}

export function useProfile() {
  return useQuery({
    queryKey: ["declarations", "profile"],
    queryFn: async ({ signal }): Promise<Profile> =>
      take(api.GET("/api/tax-declarations/profile", { signal })),
  });
}

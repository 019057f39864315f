import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading, ProblemNotice } from "./notices";

interface Props<Data> {
  query: UseQueryResult<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** What a query brings: a place kept for it, the error with a retry, or the data. Stale data stays while it is renewed. */
export function Loaded<Data>({ query, lines, children }: Props<Data>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading lines={lines ?? 4} />;
}

import type { components } from "./schema";

export type FieldError = components["schemas"]["FieldErrorBody"];

/** A sale that a refund may be of. */
export interface RefundCandidate {
  readonly invoiceId: string;
  readonly number: string;
  readonly date: string;
  readonly total: number;
  readonly remaining: number;
}

/** A refusal of the server as it says it (problem+json), or a request that never got an answer. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy: string | null;
  readonly errors: readonly FieldError[];
  readonly requestId: string | null;
  /** Of USER_NOT_REGISTERED: the invitation that was mailed, or stored in a file where no mail leaves the server. */
  readonly invitation: { readonly deliveredTo: string } | null;
  /** Of REFUND_NEEDS_INVOICE: the sales among which a person chooses. */
  readonly candidates: readonly RefundCandidate[];

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    remedy?: string | null;
    errors?: readonly FieldError[];
    requestId?: string | null;
    invitation?: { readonly deliveredTo: string } | null;
    candidates?: readonly RefundCandidate[];
  }) {
    super(problem.detail);
    this.name = "ProblemError";
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.remedy = problem.remedy ?? null;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? null;
    this.invitation = problem.invitation ?? null;
    this.candidates = problem.candidates ?? [];
  }

  /** Message for a field of the request, named as the interface names it (`client.taxId`, `items[0].price`). */
  forField(name: string): string | undefined {
    return this.errors.find((error) => error.field === name)?.message;
  }
}

/** Code of a request that reached no server: the connection is gone, or the server is. */
export const NO_CONNECTION = "NO_CONNECTION";

export function isNoConnection(error: unknown): boolean {
  return error instanceof ProblemError && error.code === NO_CONNECTION;
}

/** Code of a request that was not sent: a number of it is something typed that cannot be read. */
export const UNREADABLE_NUMBER = "UNREADABLE_NUMBER";

export function isUnreadableNumber(error: unknown): boolean {
  return error instanceof ProblemError && error.code === UNREADABLE_NUMBER;
}

/** Read the problem that a refused request was answered with. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const isProblem = response.headers.get("content-type")?.includes("json") ?? false;
  const body = isProblem ? await response.json().catch(() => null) : null;
  const requestId = response.headers.get("x-request-id");
  if (body !== null && typeof body.detail === "string" && typeof body.code === "string") {
    return new ProblemError({ requestId, ...body, status: response.status });
  }
  return new ProblemError({
    status: response.status,
    code: "UNREADABLE",
    detail: `HTTP ${response.status}`,
    requestId,
  });
}

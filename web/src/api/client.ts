import createClient from "openapi-fetch";
import { askPassword, credentials, type Reason } from "./credentials";
import { NO_CONNECTION, problemOf, ProblemError, UNREADABLE_NUMBER } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

const SAFE = new Set(["GET", "HEAD"]);

function withCredentials(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("Accept-Language", credentials.language);
  if (credentials.teamId !== null && !headers.has("X-Team-Id")) headers.set("X-Team-Id", credentials.teamId);
  if (credentials.csrfToken !== null && !SAFE.has(request.method)) {
    headers.set("X-CSRF-Token", credentials.csrfToken);
  }
  return new Request(request, { headers, credentials: "same-origin" });
}

async function answered(request: Request): Promise<Response> {
  try {
    return await globalThis.fetch(withCredentials(request));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ProblemError({ status: 0, code: NO_CONNECTION, detail: "" });
  }
}

/** The reason for which a request needs the password first; null where it was answered, or refused for good. */
async function passwordNeeded(request: Request, response: Response): Promise<Reason | null> {
  const isLogin = new URL(request.url).pathname === "/auth/session";
  if (response.status === 401 && !isLogin) return "expired";
  if (response.status !== 403) return null;
  return (await problemOf(response.clone())).code === "PASSWORD_NEEDED" ? "proof" : null;
}

/** The request, which ends with its own signal, and as a lost connection does after these seconds without an answer. */
function limited(request: Request, seconds: number): Request {
  const controller = new AbortController();
  const end = () => controller.abort(request.signal.reason);
  if (request.signal.aborted) end();
  request.signal.addEventListener("abort", end);
  setTimeout(() => controller.abort(new DOMException("no answer", "TimeoutError")), seconds * 1000);
  return new Request(request, { signal: controller.signal });
}

/** Send a request; where the password is needed first, ask for it and send the request again as it was. */
async function send(request: Request, seconds: number | null = null): Promise<Response> {
  const asked = new Set<Reason>();
  const attempt = () => answered(seconds === null ? request.clone() : limited(request.clone(), seconds));
  let response = await attempt();
  let reason = await passwordNeeded(request, response);
  while (reason !== null && !asked.has(reason) && (await askPassword(reason))) {
    asked.add(reason);
    response = await attempt();
    reason = await passwordNeeded(request, response);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The body as JSON. A number that cannot be read refuses it: JSON would make null of it, or nothing would be asked. */
export function serialized(body: unknown): string {
  return JSON.stringify(body, (_, value: unknown) => {
    if (Number.isNaN(value)) throw new ProblemError({ status: 0, code: UNREADABLE_NUMBER, detail: "" });
    return value;
  });
}

type DryRunMedia = "application/vnd.ledgerkit.dry-run+json";

type Proposed = 202;

/**
 * The responses of an operation but two: that which only a dry run is answered with, which `takeDryRun` reads, and the
 * proposal that only credentials with the scope `propose` get, never a login.
 */
type Results<Responses> = {
  [
    Status in keyof Responses as Responses[Status] extends { content: infer Content }
      ? keyof Content extends DryRunMedia
        ? never
        : Status extends Proposed
          ? never
          : Status
      : Status
  ]: Responses[Status];
};

type ResultsOf<Operation> = Operation extends { responses: infer Responses }
  ? Omit<Operation, "responses"> & { responses: Results<Responses> }
  : Operation;

type Interface = { [Path in keyof paths]: { [Method in keyof paths[Path]]: ResultsOf<paths[Path][Method]> } };

const client = createClient<Interface, "application/json">({
  baseUrl: globalThis.location?.origin ?? "",
  bodySerializer: serialized,
  fetch: (request) => send(request),
});

/** The public interface, typed by its own description, but for PUT: see `put`. Refusals are thrown as `ProblemError`. */
export const api: Omit<typeof client, "PUT"> = client;

/** Seconds without an answer after which a request is given up that somebody waits for with a button held busy. */
export const PATIENCE = 60;

/**
 * The `fetch` of such a request: it ends as a lost connection does, with a message and a retry that does nothing twice.
 * Each sending has its own time: that for which somebody types the password between two of them is not counted.
 */
export const impatient = (request: Request): Promise<Response> => send(request, PATIENCE);

/** The version of what has none: a choice that is made anew each time, or a change of one field to one value. */
export const NO_VERSION = "";

/** PUT upon the version that was read: `put(version)("/api/vendors/{id}", { params, body })`. No PUT goes another way. */
export function put(version: string): typeof client.PUT {
  const upon = version === NO_VERSION ? {} : { "If-Match": version };
  const change = (path: never, options: { headers?: Record<string, string> }) =>
    client.PUT(path, { ...options, headers: { ...options.headers, ...upon } } as never);
  return change as unknown as typeof client.PUT;
}

export interface Answer<Data> {
  data?: Data;
  response: Response;
}

/** The body of an answer: `await take(api.GET("/api/clients/{id}", { params: { path: { id } }, signal }))`. */
export async function take<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  return (await call).data as Data;
}

/** A record with its version, which a change sends back as `If-Match`: `keyed(key, version)`. */
export interface Versioned<Data> {
  data: Data;
  version: string;
}

export async function takeVersioned<Data>(call: Promise<Answer<Data>>): Promise<Versioned<Data>> {
  const { data, response } = await call;
  return { data: data as Data, version: response.headers.get("ETag") ?? "" };
}

/** What a request would do (`Dry-Run: true`): its answer, and its entries of the log. Refusals are thrown as ever. */
export async function takeRehearsal<Data>(
  call: Promise<Answer<Data>>,
): Promise<Schemas["DryRun"] & { answer: Data }> {
  return (await call).data as unknown as Schemas["DryRun"] & { answer: Data };
}

/** The answer that a request would be given. */
export async function takeDryRun<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  return (await takeRehearsal(call)).answer;
}

export interface PageOf<Item> {
  items: Item[];
  total: number;
  page: number;
  pageSize: number;
}

/** A page of a list, with its place as the headers name it. */
export async function takePage<Item>(call: Promise<Answer<Item[]>>): Promise<PageOf<Item>> {
  const { data, response } = await call;
  const header = (name: string, otherwise: number) => Number(response.headers.get(name) ?? otherwise);
  const items = data ?? [];
  return {
    items,
    total: header("X-Total-Count", items.length),
    page: header("X-Page", 1),
    pageSize: header("X-Page-Size", items.length),
  };
}

/** A file of the server (PDF, XML, ZIP): fetched with the session, as no link can name the team. */
export async function takeFile(path: string, init?: RequestInit): Promise<{ blob: Blob; name: string }> {
  const response = await send(new Request(new URL(path, globalThis.location.origin), init));
  const disposition = response.headers.get("content-disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  const plain = /filename="?([^";]+)"?/.exec(disposition)?.[1];
  return {
    blob: await response.blob(),
    name: encoded ? decodeURIComponent(encoded) : (plain ?? "ledgerkit"),
  };
}

/** Save a file of the server in the browser's downloads. */
export async function download(path: string, init?: RequestInit): Promise<void> {
  const { blob, name } = await takeFile(path, init);
  saveFile(blob, name);
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

import createClient from "openapi-fetch";
import { credentials, loginAgain } from "./credentials";
import { NO_CONNECTION, problemOf, ProblemError } from "./problem";
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

/** Send a request; where the login has expired, ask for the password and send it again as it was. */
async function send(request: Request): Promise<Response> {
  const again = request.clone();
  let response = await answered(request);
  const isLogin = new URL(request.url).pathname === "/auth/session";
  if (response.status === 401 && !isLogin && (await loginAgain())) response = await answered(again);
  if (!response.ok) throw await problemOf(response);
  return response;
}

type DryRunMedia = "application/vnd.ledgerkit.dry-run+json";

/** The responses of an operation but that which only a dry run is answered with: `takeDryRun` reads it. */
type Results<Responses> = {
  [
    Status in keyof Responses as Responses[Status] extends { content: infer Content }
      ? keyof Content extends DryRunMedia
        ? never
        : Status
      : Status
  ]: Responses[Status];
};

type ResultsOf<Operation> = Operation extends { responses: infer Responses }
  ? Omit<Operation, "responses"> & { responses: Results<Responses> }
  : Operation;

type Interface = { [Path in keyof paths]: { [Method in keyof paths[Path]]: ResultsOf<paths[Path][Method]> } };

/** The public interface, typed by its own description. Refusals are thrown as `ProblemError`. */
export const api = createClient<Interface, "application/json">({
  baseUrl: globalThis.location?.origin ?? "",
  fetch: send,
});

interface Answer<Data> {
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

/** What a request would do (`Dry-Run: true`): the answer that it would be given. Refusals are thrown as ever. */
export async function takeDryRun<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  return ((await call).data as unknown as Schemas["DryRun"]).answer as Data;
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

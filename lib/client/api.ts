import {
  type DataOf,
  type EndpointKey,
  type FileKey,
  type InputOf,
  type JsonKey,
  splitKey,
} from "../contracts/console/endpoint";
import type { Method } from "../contracts/console/endpoints";
import { withQuery } from "../contracts/with-query";
import { ApiError, type FieldIssue } from "./api-error";
import { loadServerText } from "./server-text";

export * as api from "./endpoints";

const RAW = "application/octet-stream";

interface Envelope {
  success?: boolean;
  data?: unknown;
  message?: string;
  code?: string;
  issues?: FieldIssue[];
  attempts_left?: number;
  retry_after?: number;
}

/** The input of any endpoint, without the types of its declaration. */
export interface RequestInput {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | null | undefined>>;
  body?: unknown;
  signal?: AbortSignal;
}

/** The arguments after an endpoint: its input, which may be left out when none of its fields is required. */
export type InputArgs<Input, Options extends unknown[] = []> =
  Record<never, never> extends Input
    ? [input?: Input, ...options: Options]
    : [input: Input, ...options: Options];

/** The URL path and query of an endpoint. */
export function urlOf<Key extends EndpointKey>(
  endpoint: Key,
  ...args: InputArgs<Pick<InputOf<Key>, keyof InputOf<Key> & ("params" | "query")>>
): string;
export function urlOf(endpoint: EndpointKey, input?: RequestInput): string {
  return urlFor(endpoint, input);
}

function urlFor(endpoint: EndpointKey, { params = {}, query = {} }: RequestInput = {}): string {
  const path = splitKey(endpoint).path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) search.set(name, String(value));
  return withQuery(path, search);
}

/**
 * Calls an endpoint of the console API and returns the reply's `data`. The browser does not validate it: its type comes
 * from the endpoint's declaration, against which the server's handlers are type-checked and with which the server's
 * tests parse every reply. Throws an ApiError.
 */
export function callApi<Key extends JsonKey>(
  endpoint: Key,
  ...args: InputArgs<InputOf<Key> & { signal?: AbortSignal }>
): Promise<DataOf<Key>>;
export async function callApi(endpoint: JsonKey, input: RequestInput = {}): Promise<unknown> {
  return readData(await send(splitKey(endpoint).method, urlFor(endpoint, input), input));
}

/** The cache key of a reply: the endpoint, a space and the URL. */
export const cacheKey = (endpoint: JsonKey, input: RequestInput = {}): string =>
  `${endpoint} ${urlFor(endpoint, input)}`;

/** The endpoint of a cache key; `$inf$` marks the key of a paged list. */
export const endpointOf = (key: string): string | undefined => /^(?:\$inf\$)?(\S+ \S+) /.exec(key)?.[1];

/** An entry of SWR's `fallback`: a reply that the server loaded to render the page. */
export function cached<Key extends JsonKey>(
  endpoint: Key,
  input: InputOf<Key>,
  data: DataOf<Key>,
): Record<string, unknown>;
export function cached(endpoint: JsonKey, input: RequestInput, data: unknown): Record<string, unknown> {
  return { [cacheKey(endpoint, input)]: data };
}

/** The same of a list that is fetched as a whole, if its first page is all of it. */
export function cachedIfWhole<Key extends JsonKey>(
  endpoint: Key,
  first: DataOf<Key> & { next_cursor: string | null },
): Record<string, unknown> {
  return first.next_cursor === null ? { [cacheKey(endpoint, {})]: first } : {};
}

/** Fetches the reply of a cache key. */
export async function fetchCached(key: string): Promise<unknown> {
  return readData(await send("GET", key.slice(key.lastIndexOf(" ") + 1)));
}

/** The `data` of a reply. Throws an ApiError. */
async function readData(response: Response): Promise<unknown> {
  const envelope = await readEnvelope(response);
  if (response.ok && envelope?.success) return envelope.data;
  throw await toApiError(response, envelope);
}

/** The error of a reply, with the server's sentences in the page's language. */
async function toApiError(response: Response, envelope: Envelope | null): Promise<ApiError> {
  const text = await loadServerText(globalThis.document?.documentElement.lang ?? "");
  const retryAfter = Number(envelope?.retry_after ?? response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    code: envelope?.code ?? "internal",
    message: text(envelope?.message ?? ""),
    issues: envelope?.issues?.map((issue) => ({ ...issue, message: text(issue.message) })),
    attemptsLeft: envelope?.attempts_left,
    retryAfter: retryAfter > 0 ? retryAfter : null,
    requestId: response.headers.get("x-request-id"),
  });
}

/** Sends a file, or a part of a file, to an endpoint with a raw body. Throws an ApiError. */
export function sendBytes<Key extends JsonKey>(
  endpoint: Key,
  input: InputOf<Key> & { signal?: AbortSignal },
  bytes: Blob,
): Promise<DataOf<Key>>;
export async function sendBytes(endpoint: JsonKey, input: RequestInput, bytes: Blob): Promise<unknown> {
  return readData(await send(splitKey(endpoint).method, urlFor(endpoint, input), { ...input, body: bytes }));
}

async function send(
  method: Method,
  url: string,
  { body, signal }: Pick<RequestInput, "body" | "signal"> = {},
) {
  try {
    return await fetch(url, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers:
        method === "GET" ? undefined : { "content-type": body instanceof Blob ? RAW : "application/json" },
      // The server reads a JSON object from every POST that has a body schema.
      body:
        body instanceof Blob
          ? body
          : body === undefined && method !== "POST"
            ? undefined
            : JSON.stringify(body ?? {}),
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw networkError();
  }
}

const networkError = () => new ApiError({ status: 0, code: "network", message: "" });

/** The error of a body that could not be read: `fetch` throws a TypeError where the connection breaks. */
const bodyError = (error: unknown) => (error instanceof TypeError ? networkError() : error);

/** Null if the response did not come from Patchbay, such as a proxy's error page. */
async function readEnvelope(response: Response): Promise<Envelope | null> {
  try {
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw bodyError(error);
  }
}

/** Downloads a file: its bytes and the name from Content-Disposition. Throws an ApiError. */
export function downloadFile<Key extends FileKey>(
  endpoint: Key,
  ...args: InputArgs<InputOf<Key>>
): Promise<{ content: Blob; name: string }>;
export async function downloadFile(endpoint: FileKey, input: RequestInput = {}) {
  const response = await send(splitKey(endpoint).method, urlFor(endpoint, input), input);
  if (!response.ok) throw await toApiError(response, await readEnvelope(response));
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  const content = await response.blob().catch((error) => Promise.reject(bodyError(error)));
  return { content, name: name ?? "download" };
}

import { ApiError, type FieldIssue } from "./api-error";

interface Envelope {
  success?: boolean;
  data?: unknown;
  message?: string;
  code?: string;
  issues?: FieldIssue[];
  attempts_left?: number;
  retry_after?: number;
}

interface CallOptions {
  signal?: AbortSignal;
}

async function call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, body, options);
  const envelope = await readEnvelope(response);
  // The server's schema of `data` is the caller's type: both stand in lib/contracts.
  if (response.ok && envelope?.success) return envelope.data as T;
  throw refusal(response, envelope);
}

function refusal(response: Response, envelope: Envelope | null): ApiError {
  const retryAfter = Number(envelope?.retry_after ?? response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    code: envelope?.code ?? "internal",
    message: envelope?.message ?? "",
    issues: envelope?.issues,
    attemptsLeft: envelope?.attempts_left,
    retryAfter: retryAfter > 0 ? retryAfter : null,
    requestId: response.headers.get("x-request-id"),
  });
}

async function send(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: method === "GET" ? undefined : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: options.signal,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError({ status: 0, code: "network", message: "" });
  }
}

/** Null when something between us and the server answered in its stead. */
async function readEnvelope(response: Response): Promise<Envelope | null> {
  try {
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Asks for a file: its bytes and the name the server gave it. Throws an ApiError. */
export async function apiDownload(path: string, body: unknown): Promise<{ content: Blob; name: string }> {
  const response = await send("POST", path, body, {});
  if (!response.ok) throw refusal(response, await readEnvelope(response));
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return { content: await response.blob(), name: name ?? "download" };
}

/** The console's interface: each call gives `data`, or throws an ApiError. */
export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>("GET", path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options?: CallOptions) => call<T>("POST", path, body, options),
  patch: <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PATCH", path, body, options),
  delete: <T = null>(path: string, options?: CallOptions) => call<T>("DELETE", path, undefined, options),
};

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
  // Callers pass the type of the endpoint's response schema (lib/contracts).
  if (response.ok && envelope?.success) return envelope.data as T;
  throw toApiError(response, envelope);
}

function toApiError(response: Response, envelope: Envelope | null): ApiError {
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

/** Null if the response did not come from Patchbay, such as a proxy's error page. */
async function readEnvelope(response: Response): Promise<Envelope | null> {
  try {
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Downloads a file: its bytes and the name from Content-Disposition. Throws an ApiError. */
export async function apiDownload(path: string, body: unknown): Promise<{ content: Blob; name: string }> {
  const response = await send("POST", path, body, {});
  if (!response.ok) throw toApiError(response, await readEnvelope(response));
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return { content: await response.blob(), name: name ?? "download" };
}

/** The console API. Each method returns the response's `data` or throws an ApiError. */
export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>("GET", path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options?: CallOptions) => call<T>("POST", path, body, options),
  patch: <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PATCH", path, body, options),
  delete: <T = null>(path: string, options?: CallOptions) => call<T>("DELETE", path, undefined, options),
};

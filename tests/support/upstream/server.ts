import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Certificate } from "./certificates";
import { elevenLabsError, elevenLabsLists, elevenLabsSpeech } from "./elevenlabs";
import { BAD_KEY_DETAILS, geminiEmbeddings, geminiError, geminiModels, geminiSpeech } from "./gemini";
import { type InjectedFailure, RETRY_AFTER_FORMS, readModel } from "./injected-failure";
import { openAiEmbeddings, openAiError, openAiLists, openAiSpeech } from "./openai";
import { json, type Reply } from "./reply";
import { send } from "./send";

/** One request as received, and its outcome. */
export interface LedgerEntry {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
  rawHeaders: string[];
  body: unknown;
  model: string;
  /** Null before the reply. */
  status: number | null;
  tokens: number;
  bodyBytes: number;
  /** True when the reply was not completed, by the injected failure or the caller. */
  isCut: boolean;
}

export interface Upstream {
  /** `http://127.0.0.1:port` */
  origin: string;
  /** `127.0.0.1:port`, as in the list of allowed upstreams. */
  target: string;
  port: number;
  ledger: LedgerEntry[];
  openSockets(): number;
  /** Requests whose reply is neither complete nor aborted. */
  inFlight(): number;
  /** Connections since the start. */
  connections(): number;
  /** Resolves when all sockets are closed. */
  whenNoSockets(): Promise<void>;
  close(): Promise<void>;
}

interface UpstreamOptions {
  tls?: Certificate;
  /** Target of `--redirect-<status>`. */
  redirectTo?: string;
  /** The only valid key; without it all are valid. */
  key?: string;
}

/** A loopback upstream with the paths of Gemini, OpenAI, Azure OpenAI and ElevenLabs. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const ledger: LedgerEntry[] = [];
  const sockets = new Set<Socket>();
  let waiting: (() => void)[] = [];
  let connections = 0;
  let inFlight = 0;
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    inFlight += 1;
    res.on("close", () => {
      inFlight -= 1;
    });
    answer(req, res, options, ledger).catch(() => res.destroy());
  };
  const server: Server = options.tls ? createSecureServer(options.tls, handle) : createServer(handle);
  // Injected failures write large headers and keep sockets open for long.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on TCP: the address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${options.tls ? "https://localhost" : "http://127.0.0.1"}:${port}`,
    target: `${options.tls ? "localhost" : "127.0.0.1"}:${port}`,
    port,
    ledger,
    openSockets: () => sockets.size,
    inFlight: () => inFlight,
    connections: () => connections,
    whenNoSockets: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const ANSWERS_TEXT = "Model tried to generate text, but it should only be used for TTS.";

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  options: UpstreamOptions,
  ledger: LedgerEntry[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === "" ? null : JSON.parse(text);
  const path = req.url ?? "";
  const model = modelOf(path, body);
  const { base, failure } = readModel(model);
  const entry: LedgerEntry = {
    method: req.method ?? "",
    path,
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    body,
    model,
    status: null,
    tokens: 0,
    bodyBytes: 0,
    isCut: true,
  };
  ledger.push(entry);
  res.on("finish", () => {
    entry.isCut = false;
  });
  const nth = ledger.filter((one) => one.model === model).length;
  const reply =
    (failure?.kind === "answers-text" && nth <= failure.n ? geminiError(400, ANSWERS_TEXT) : null) ??
    keyRefusal(req, options) ??
    injectedReply(path, failure, options) ??
    goodReply(path, base, body, failure);
  if (failure?.kind === "silent-to-stop" && text.includes("STOP")) return;
  if (failure?.kind !== "black-hole") entry.status = reply.status;
  entry.tokens = reply.tokens;
  await send(res, reply, failure, (bytes) => {
    entry.bodyBytes += bytes;
  });
}

function modelOf(path: string, body: unknown): string {
  const inPath = /\/models\/([^/:?]+):/.exec(path)?.[1] ?? /\/deployments\/([^/]+)\//.exec(path)?.[1];
  if (inPath !== undefined) return decodeURIComponent(inPath);
  // The tests know the shape of the requests that they cause.
  const fields = (body ?? {}) as { model?: string; model_id?: string };
  return fields.model ?? fields.model_id ?? "";
}

function errorReply(path: string, status: number, message: string): Reply {
  if (path.includes("/text-to-speech/")) return elevenLabsError(status, message, "failed");
  return path.includes(":") ? geminiError(status, message) : openAiError(status, message);
}

function keyRefusal({ headers, url = "" }: IncomingMessage, { key }: UpstreamOptions): Reply | null {
  const sent =
    headers["x-goog-api-key"] ??
    headers["xi-api-key"] ??
    headers["api-key"] ??
    headers.authorization?.slice(7);
  if (key === undefined || sent === key) return null;
  const words = `Incorrect API key provided: ${sent}.`;
  if (url.includes("/v1beta/"))
    return geminiError(400, "API key not valid. Please pass a valid API key.", BAD_KEY_DETAILS);
  return url.includes("/text-to-speech/")
    ? elevenLabsError(401, words, "invalid_api_key")
    : openAiError(401, words, "invalid_api_key");
}

/** Injected failures that reply with an error status. */
function injectedReply(
  path: string,
  failure: InjectedFailure | null,
  options: UpstreamOptions,
): Reply | null {
  switch (failure?.kind) {
    case "status":
    case "stalled-status":
      return errorReply(path, failure.n, `Failed at http://10.1.2.3:8080/internal with ${failure.n}.`);
    case "error-with-200": {
      const body = { error: { code: failure.n, message: "Provider returned an error." }, user_id: "user_x" };
      return json(200, body);
    }
    case "html-status":
      return {
        status: failure.n,
        headers: { "content-type": "text/html" },
        chunks: [Buffer.from("<h1>no</h1>")],
        tokens: 0,
      };
    case "says": {
      const words = `CUDA out of memory sk-upstream-0123456789abcdef ${"x".repeat(failure.n)}`;
      return errorReply(path, 500, words);
    }
    case "no-model":
      return path.includes(":")
        ? geminiError(404, "models/gone is not found for API version v1beta, or is not supported for it.")
        : openAiError(404, "The model `gone` does not exist.", "model_not_found");
    case "no-file":
      return geminiError(403, "You do not have permission to access the File abc or it may not exist.");
    case "no-content":
      return geminiError(403, "CachedContent not found (or permission denied)");
    case "quoted-name":
      return geminiError(
        400,
        `Invalid JSON payload received. Unknown name "API key not valid" at 'generation_config': Cannot find field.`,
      );
    case "above-limit":
      return openAiError(
        429,
        "Request too large for tts in organization org-x on tokens per min (TPM): Limit 30000, Requested 31538.",
        "rate_limit_exceeded",
      );
    case "library-voice": {
      const message = "Free users cannot use library voices via the API. Please upgrade your subscription.";
      const body = JSON.stringify({ detail: { status: "payment_required", message } });
      return {
        status: 402,
        headers: { "content-type": "application/json" },
        chunks: [Buffer.from(body)],
        tokens: 0,
      };
    }
    case "no-money":
      return openAiError(429, "You exceeded your current quota.", "insufficient_quota");
    case "limited": {
      const reply = errorReply(path, 429, "Slow down.");
      const header = RETRY_AFTER_FORMS[failure.n]?.header ?? null;
      return header === null ? reply : { ...reply, headers: { ...reply.headers, "retry-after": header } };
    }
    case "retry-info":
      return geminiError(429, "Quota exceeded.", [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${failure.n}s` },
      ]);
    case "redirect": {
      const headers = { location: options.redirectTo ?? "/elsewhere" };
      return { status: failure.n || 302, headers, chunks: [Buffer.from("moved")], tokens: 0 };
    }
    default:
      return null;
  }
}

function goodReply(path: string, base: string, body: unknown, failure: InjectedFailure | null): Reply {
  const { pathname, searchParams } = new URL(path, "http://upstream");
  // The tests know the shape of the requests that they cause.
  const fields = (body ?? {}) as Record<string, unknown>;
  if (pathname.endsWith("/audio/speech")) return openAiSpeech(fields, failure);
  if (pathname.endsWith("/embeddings")) return openAiEmbeddings(base, fields, failure);
  if (pathname.endsWith(":generateContent")) return geminiSpeech(body, false, failure);
  if (pathname.endsWith(":streamGenerateContent")) return geminiSpeech(body, true, failure);
  if (pathname.endsWith(":embedContent")) return geminiEmbeddings(base, body, false, failure);
  if (pathname.endsWith(":batchEmbedContents")) return geminiEmbeddings(base, body, true, failure);
  if (pathname.endsWith("/v1beta/models")) return geminiModels(searchParams.get("pageToken"));
  const voice = /\/text-to-speech\/([^/]+)\/stream$/.exec(pathname)?.[1];
  if (voice !== undefined) {
    return elevenLabsSpeech(
      decodeURIComponent(voice),
      searchParams.get("output_format") ?? "",
      fields,
      failure,
    );
  }
  // A server that lists nothing.
  const isBare = pathname.startsWith("/bare");
  const lists = pathname.startsWith("/eleven") ? elevenLabsLists(pathname) : openAiLists(pathname);
  return (isBare ? null : lists) ?? openAiError(404, `Unknown request URL: ${pathname}`, "unknown_url");
}

import { SEND_LESS } from "../../contracts/gateway/error-sentences";
import { AppError, type ErrorDetails } from "../../errors";
import { invalidAnswer } from "./failure";
import { asFields, asText, type Fields, tryParseJson } from "./json";

const MAX_MESSAGE_LENGTH = 500;

/**
 * Access tokens by their form: after an authorization scheme, by the prefix of their issuer (ours included), or as a
 * JSON Web Token.
 */
const TOKEN_PATTERNS = [
  /\bBearer[-_ ]+[A-Za-z0-9*_.~+/=-]{8,}/g,
  // In other letter cases only values with a digit or `=`, since "basic authentication" is not a token.
  /\b(?:basic|bearer) +(?=\S{0,64}[\d=])[A-Za-z0-9*_.~+/=-]{8,}/gi,
  /\b(?:sk|pk|xi|gsk|hf|AIza)[-_ ]?[A-Za-z0-9*_.-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,4}/g,
];
/** This machine, and the names that private networks use: of mDNS (RFC 6762), home networks (RFC 8375), Kubernetes. */
const INTERNAL_HOST =
  /(?<![\w.-])(?:[\w-]{0,63}localhost|(?:[\w-]{1,63}\.){1,16}(?:localhost|internal|intranet|lan|local|localdomain|corp|home\.arpa|svc))\b(?::\d+)?/gi;
/** A key without a prefix: only letters and digits, digits among them. */
const OPAQUE_KEY = /\b(?=[a-z]*\d)[0-9a-z]{24,}\b/gi;

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The start of a text, without the secrets. They are removed before the cut, which could leave a part of one. */
function startOf(text: string, secrets: readonly string[]): string {
  let words = text;
  for (const secret of secrets) {
    // Some upstreams change the case of what they quote.
    if (secret.length >= 4) words = words.replace(new RegExp(escapeRegExp(secret), "gi"), "[…]");
  }
  return words.slice(0, MAX_MESSAGE_LENGTH * 8);
}

/**
 * An upstream's error message as a caller may read it: one line, without URLs, keys and the other values in `secrets`.
 * Empty when nothing is left.
 */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  let words = startOf(text, secrets);
  for (const token of TOKEN_PATTERNS) words = words.replace(token, "[key]");
  return words
    .replace(/\b[a-z][a-z0-9+.-]{0,32}:\/\/[^\s"'<>)]+/gi, "[address]")
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]")
    .replace(/(?:\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?)(?::\d+)?/gi, "[address]")
    .replace(INTERNAL_HOST, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);
}

/** True for a page of a proxy or a firewall, which is not a message of the upstream's API. */
function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/**
 * An upstream's error message for administrators: like `cleanMessage`, also without anything that may be a key; of an
 * HTML page, only its text. Empty when nothing is left.
 */
export function cleanUpstreamText(text: string, secrets: readonly string[]): string {
  const start = startOf(text, secrets);
  const words = isMarkup(start)
    ? start.replace(/<(?:style|script)[^>]*>[^<]*/gi, " ").replace(/<[^<>]*>/g, " ")
    : start;
  return cleanMessage(words, secrets).replace(OPAQUE_KEY, "[key]").trim();
}

/** The content of a provider's error body, in a form common to all providers. */
export interface RefusalFacts {
  /** The upstream's own message; null when the body has none. */
  words: string | null;
  /**
   * `key`: our key or its permissions are the cause, whatever the status. `money`: the account has no credit. `caller`:
   * the request is the cause. `size`: it exceeds what is left of a limit or quota, which smaller requests may not.
   * `text`: the upstream fails at this text, which another upstream may process. `language`: the upstream's model does
   * not support the language, which another model may. `model`: the upstream does not know the channel's model, or
   * refuses it to our key. Null: the status decides.
   */
  about: "key" | "money" | "caller" | "size" | "text" | "language" | "model" | null;
  /** The message names the operator's key, project or plan: callers do not get it. */
  isPrivate?: boolean;
  retryAfterMs?: number;
}

/** Reads a provider's error body; `body` is null when it was not a JSON object. */
export type ReadRefusal = (status: number, body: Fields | null) => RefusalFacts;

/** An upstream's error reply. */
export interface ErrorReply {
  status: number;
  header(name: string): string | null;
  text: string;
  nowMs: number;
  secrets: readonly string[];
  read: ReadRefusal;
}

/** The JSON object of an error body; Google's OpenAI endpoint sends it in a list. Null for any other body. */
function errorFields(text: string): Fields | null {
  const parsed = tryParseJson(text);
  return asFields(Array.isArray(parsed) ? parsed[0] : parsed);
}

/**
 * The status that an error object in a reply with status 200 states (OpenRouter sends such replies, and Google does
 * within a stream); 500 if it states none. Null for a body without an error.
 */
function statedStatus(body: Fields | null): number | null {
  const error = asFields(body?.error);
  if (error === null) return asText(body?.error) === null ? null : 500;
  const code = Number(error.code);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 500;
}

/** Fields with the vectors of an embeddings reply. */
const VECTORS = ["data", "embedding", "embeddings"];

/** Whether a reply with status 200 is an error: servers may write an empty `error` beside their vectors. */
export function hasError(text: string): boolean {
  const body = errorFields(text);
  const hasVectors = VECTORS.some((name) => {
    const value = body?.[name];
    return Array.isArray(value) ? value.length > 0 : Object.keys(asFields(value) ?? {}).length > 0;
  });
  return !hasVectors && statedStatus(body) !== null;
}

/** The text of a `text/plain` reply, which is a message for people; null for any other type and for markup. */
function plainWords({ text, header }: ErrorReply): string | null {
  const isPlain = (header("content-type") ?? "").startsWith("text/plain");
  return isPlain && !isMarkup(text) ? asText(text.trim()) : null;
}

/** What servers answer to a path that they do not have: FastAPI, Go's routers, Azure, Ollama, OpenAI. */
const NO_PATH_WORDS =
  /^(?:(?:404 )?(?:page |resource |path "[^"]*" )?not found|invalid URL \([A-Z]+ \S+\))\.?$/i;

type FailureDetails = Pick<
  ErrorDetails,
  "upstreamMessage" | "retryAfterMs" | "upstreamRefusal" | "isUnknownModel"
>;

function failed(upstreamStatus: number, details: FailureDetails): AppError {
  const message = `The channel's upstream answered with an error (${upstreamStatus}).`;
  return new AppError("upstream_error", message, { upstreamStatus, ...details });
}

/**
 * The upstream's message for administrators, after the upstream's own ID of the request, for which its support asks.
 * Empty without a message. An ID that may contain an address or a key is left out.
 */
function upstreamMessage({ header, secrets }: ErrorReply, words: string): string {
  const said = cleanUpstreamText(words, secrets);
  const id = header("x-request-id") ?? header("request-id") ?? "";
  if (said === "" || !/^[\w.:/+=-]{1,128}$/.test(id) || cleanMessage(id, secrets) !== id) return said;
  return `[request ${id}] ${said}`;
}

/**
 * The error for a reply without the requested content: an error of the request is passed on with its message, any other
 * error is the channel's and has the message in `details.upstreamMessage`. `details.upstreamRefusal` says that the
 * channel's key or account is the cause. The error object of a reply with status 200 states its status.
 */
export function errorOfReply(reply: ErrorReply): AppError {
  const { header, text, nowMs, secrets, read } = reply;
  const status = reply.status < 300 ? statedStatus(errorFields(text)) : reply.status;
  if (status === null) {
    // With status 200 an empty text means a JSON body that was too long to keep, not a reply without content.
    const isEmpty = text === "" && reply.status !== 200;
    const what = isEmpty ? `with status ${reply.status} and no content` : "without audio";
    return invalidAnswer(what, undefined, { upstreamStatus: reply.status });
  }
  if (status >= 300 && status < 400) {
    return new AppError(
      "upstream_redirect",
      "The channel's upstream answered with a redirect; redirects are not followed.",
    );
  }
  // Firewalls refuse some texts ("DROP TABLE") with an HTML page, which says nothing about the key.
  const isFirewallPage = status === 403 && isMarkup(text);
  const facts: RefusalFacts = isFirewallPage ? { words: null, about: null } : read(status, errorFields(text));
  const retryAfterMs = facts.retryAfterMs ?? readRetryAfter(header, nowMs);
  const own = upstreamMessage(reply, facts.words ?? text);
  const message: FailureDetails = own === "" ? {} : { upstreamMessage: own };
  const details: FailureDetails = { ...message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (facts.about === "key") return failed(status, { ...message, upstreamRefusal: "credentials" });
  if (facts.about === "money") return failed(status, { ...details, upstreamRefusal: "account" });
  // This refusal says nothing about smaller requests, or about a channel with a higher limit.
  if (facts.about === "size") {
    return new AppError(
      status === 429 ? "upstream_rate_limited" : "upstream_error",
      `This request alone exceeds a limit of the channel's upstream. ${SEND_LESS}`,
      { upstreamStatus: status, isCausedByRequest: true, ...message },
    );
  }
  if (facts.about === "text") {
    return new AppError("upstream_error", "The channel's upstream cannot process this text.", {
      upstreamStatus: status,
      isCausedByRequest: true,
      ...message,
    });
  }
  if (status === 429 && facts.about === null) {
    return new AppError(
      "upstream_rate_limited",
      "The channel's upstream rejected the request: rate limit exceeded.",
      { upstreamStatus: 429, ...details },
    );
  }
  if (status === 408 || status === 504) {
    return new AppError("upstream_timeout", "The channel's upstream timed out.", {
      upstreamStatus: status,
      ...message,
    });
  }
  const isUnknownModel = facts.about === "model";
  if (isUnknownModel && (facts.isPrivate || status === 401 || status === 403))
    return failed(status, { ...details, isUnknownModel });
  const words = cleanMessage(facts.words ?? plainWords(reply) ?? "", secrets);
  const isAboutInput =
    facts.about === "caller" || isUnknownModel || [400, 404, 413, 415, 422].includes(status);
  // A 404 without a message, or about the path, means that the channel's URL is wrong, and an HTML 400 comes from a
  // proxy on the way: neither is the caller's error.
  const isWrongPath = status === 404 && NO_PATH_WORDS.test(words);
  if (isAboutInput && words !== "" && !isWrongPath) {
    return new AppError("invalid", words, {
      upstreamStatus: status,
      ...message,
      ...(isUnknownModel ? { isUnknownModel } : {}),
      ...(facts.about === "language" ? { isCausedByRequest: true } : {}),
    });
  }
  return failed(status, details);
}

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 120_000;

function clamp(ms: number): number {
  return Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, Math.round(ms)));
}

/**
 * How long to leave an upstream alone, in milliseconds from 1 s to 2 minutes: `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3), or `retry-after-ms`. Invalid values count as absent.
 */
export function readRetryAfter(header: (name: string) => string | null, nowMs: number): number | undefined {
  const precise = header("retry-after-ms")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(precise)) return clamp(Number(precise));
  const text = header("retry-after")?.trim() ?? "";
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return clamp(Number(text) * 1_000);
  // A date begins with the day's name; Date.parse would accept "7 bananas".
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

/** A duration as Google writes it in `google.rpc.RetryInfo` (`34s`, `0.5s`). */
export function readDuration(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
  return seconds === undefined ? undefined : clamp(Number(seconds) * 1_000);
}

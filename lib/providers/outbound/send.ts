import type { Readable } from "node:stream";
import type { Pool } from "undici";
import type { AppError } from "../../errors";
import { collect, readBody, type UpstreamBody } from "./body";
import type { OutboundRequest, OutboundSettings, UpstreamReply } from "./create";
import { abortReason, connectionError, tooSlow } from "./fault";
import { refusalError } from "./refusal";

const REFUSAL_BYTES = 64 * 1024;
const REFUSAL_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A pool, and how many of its requests have no answer yet. */
export interface Line {
  pool: Pool;
  waiting: { count: number };
}

/** Sends one request and waits for the head of its answer. */
export async function send(
  settings: OutboundSettings,
  { pool, waiting }: Line,
  url: URL,
  headers: Record<string, string>,
  request: OutboundRequest,
): Promise<UpstreamReply> {
  const { channel, options, method, maxBytes } = request;
  if (options.signal.aborted) throw abortReason(options.signal);
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  const left = () =>
    Math.min(LONGEST_TIMER_MS, Math.max(0, options.firstByteBy - settings.clock.monotonic()));

  const controller = new AbortController();
  let late: AppError | null = null;
  const onAbort = (): void => controller.abort(options.signal.reason);
  const letGo = (): void => options.signal.removeEventListener("abort", onAbort);
  options.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => {
    late = tooSlow();
    controller.abort(late);
  }, left());

  try {
    const path = `${url.pathname === "/" ? "" : url.pathname}${request.path}`;
    waiting.count += 1;
    const reply = await pool
      .request({ method, path, headers, body, signal: controller.signal })
      .finally(() => {
        waiting.count -= 1;
      });
    clearTimeout(timer);
    const header = (name: string): string | null => {
      const value = reply.headers[name];
      return value === undefined ? null : Array.isArray(value) ? (value[0] ?? null) : value;
    };
    const isGood = reply.statusCode >= 200 && reply.statusCode < 300;
    const guarded = readBody(
      // undici's body is a Readable with more to it.
      reply.body as Readable,
      (header("content-encoding") ?? "").trim().toLowerCase(),
      {
        maxBytes: isGood ? maxBytes : REFUSAL_BYTES,
        firstByteMs: isGood ? left() : Math.min(left(), REFUSAL_MS),
        idleMs: isGood ? (channel.timeouts.idleMs ?? settings.limits.idleMs) : REFUSAL_MS,
        totalMs: isGood ? (channel.timeouts.totalMs ?? settings.limits.callMs) : REFUSAL_MS,
      },
      { abortReason: () => (options.signal.aborted ? abortReason(options.signal) : null), over: letGo },
    );
    if (!isGood) throw await refused(settings, request, url, reply.statusCode, header, guarded);
    return {
      header,
      contentType: (header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
      isDelimited: header("content-length") !== null || header("transfer-encoding") !== null,
      body: guarded,
    };
  } catch (error) {
    clearTimeout(timer);
    letGo();
    if (options.signal.aborted) throw abortReason(options.signal);
    throw late ?? connectionError(error, "headers");
  }
}

async function refused(
  { clock }: OutboundSettings,
  { readRefusal, secrets, options }: OutboundRequest,
  url: URL,
  status: number,
  header: (name: string) => string | null,
  body: UpstreamBody,
): Promise<AppError> {
  // A refusal whose body is cut, slow or endless is still one: its status was whole.
  const bytes = await collect(body).catch(() => new Uint8Array());
  if (options.signal.aborted) return abortReason(options.signal);
  return refusalError({
    status,
    header,
    text: Buffer.from(bytes).toString("utf8"),
    nowMs: clock.now(),
    secrets: [...secrets, url.host, url.hostname],
    read: readRefusal,
  });
}

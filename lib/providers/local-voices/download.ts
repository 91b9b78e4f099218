import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { MAX_ARCHIVE_BYTES } from "../../contracts/console/local-voices";
import { HOUR_MS } from "../../contracts/durations";
import { AppError, hasCode, isAppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { canonicalHost, isHost } from "../outbound/allow-list";
import type { UpstreamClient } from "../outbound/create";
import { failureOf, withSubject } from "../outbound/failure";
import type { UpstreamReply } from "../outbound/request";
import { connectionTo } from "../outbound/request";
import { parseUpstreamUrl, targetOf, urlRefusal } from "../outbound/upstream-url";
import { writeAll } from "./write-all";

export const ARCHIVE_ENDING = /\.(?:tar\.bz2|tbz2?|tar\.gz|tgz)$/i;
const MAX_REDIRECTS = 5;
const FIRST_BYTE_MS = 60_000;
const TOTAL_MS = 6 * HOUR_MS;

export interface DownloadRequest {
  url: string;
  /** Written as the download proceeds; an earlier download is continued, or used when it is complete. */
  file: string;
  /** Whether the caller knows the archive's digest and checks it afterwards. If not, plain HTTP is refused. */
  isChecked: boolean;
  signal: AbortSignal;
  onProgress(done: number, total: number | null): void;
}

/**
 * Downloads through the guarded client; every redirect is checked like the first address. The URL and the server's ETag
 * are kept beside the file, so that only the same archive is continued. Throws AppError `upstream_*`, `invalid`,
 * `caller_left`.
 */
export async function download(
  client: UpstreamClient,
  clock: Clock,
  request: DownloadRequest,
): Promise<void> {
  const { file, onProgress } = request;
  const [tagged, tag = ""] = (await readFile(tagFile(file), "utf8").catch(() => "")).split("\n");
  const have = tagged === request.url ? await resumableBytes(file) : 0;
  // The last byte is requested again, since a server cannot send a range that begins at the end of a complete file.
  const from = Math.max(0, have - 1);
  const range: Record<string, string> = have > 0 ? { range: `bytes=${from}-`, "if-range": tag } : {};
  const { reply, url } = await openReply(client, clock, request, range);
  const etag = reply.header("etag") ?? "";
  const isRest = have > 0 && (reply.header("content-range") ?? "").startsWith(`bytes ${from}-`);
  if (isRest && etag !== tag) {
    // The server ignored If-Range: this is the rest of another archive.
    reply.body.close();
    await deleteDownload(file);
    return download(client, clock, request);
  }
  const start = isRest ? from : 0;
  const length = Number(reply.header("content-length") ?? Number.NaN);
  const total = Number.isInteger(length) ? start + length : null;
  if (total !== null && total > MAX_ARCHIVE_BYTES) {
    reply.body.close();
    throw tooLarge(total);
  }
  // A weak ETag is not valid in If-Range (RFC 9110 §13.1.5).
  const canResume = etag !== "" && !etag.startsWith("W/");
  await writeFile(tagFile(file), canResume ? `${request.url}\n${etag}` : "");
  const output = await open(file, isRest ? "r+" : "w");
  try {
    let done = start;
    onProgress(done, total);
    for await (const chunk of reply.body) {
      await writeAll(output, chunk, done);
      done += chunk.length;
      onProgress(done, total);
    }
  } catch (error) {
    throw downloadError(error, url, client);
  } finally {
    reply.body.close();
    await output.close();
  }
}

const tagFile = (file: string) => `${file}.etag`;

/** Size of a download that can be continued or, when it is complete, used; 0: none. */
export async function resumableBytes(file: string): Promise<number> {
  const tag = await stat(tagFile(file)).catch(() => null);
  if (tag === null || tag.size === 0) return 0;
  return (await stat(file).catch(() => null))?.size ?? 0;
}

/** Deletes a download, so that no later one continues it. */
export async function deleteDownload(file: string): Promise<void> {
  await rm(tagFile(file), { force: true });
  await rm(file, { force: true });
}

export function tooLarge(total: number): AppError {
  return new AppError(
    "invalid",
    `The archive has ${total} bytes; at most ${MAX_ARCHIVE_BYTES} are accepted.`,
  );
}

async function openReply(
  client: UpstreamClient,
  clock: Clock,
  { url: first, isChecked, signal }: DownloadRequest,
  headers: Readonly<Record<string, string>>,
): Promise<{ reply: UpstreamReply; url: URL }> {
  let url = parse(first, undefined, isChecked);
  for (let hop = 0; ; hop++) {
    let location: string | null = null;
    try {
      const reply = await client.call({
        channel: connectionTo("local-voices", `voices ${url.origin}`, url.origin, { totalMs: TOTAL_MS }),
        baseUrl: url.origin,
        method: "GET",
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, accept: "application/octet-stream, */*" },
        maxBytes: MAX_ARCHIVE_BYTES,
        isFile: true,
        readRefusal: () => ({ words: null, about: null }),
        key: null,
        onRedirect: (to) => {
          location = to;
        },
        options: { signal, requestId: "", firstByteBy: clock.monotonic() + FIRST_BYTE_MS },
      });
      return { reply, url };
    } catch (error) {
      if (!hasCode(error, "upstream_redirect")) throw downloadError(error, url, client);
      // Replaces the client's own message, which says that redirects are not followed.
      if (location === null)
        throw new AppError(error.code, `${serverOf(url)} answered with a redirect that names no URL.`);
      if (hop >= MAX_REDIRECTS) {
        const message = `${serverOf(url)} redirected again after ${MAX_REDIRECTS} redirects; no more are followed.`;
        throw new AppError(error.code, message);
      }
      url = parse(location, url, isChecked);
    }
  }
}

const serverOf = (url: URL) => `The archive's server ${url.host}`;

/** Rewords an error of the guarded client to name the archive's server instead of a channel's upstream. */
function downloadError(error: unknown, url: URL, client: UpstreamClient): unknown {
  if (!isAppError(error)) return error;
  if (failureOf(error) !== "address_refused") return withSubject(error, serverOf(url));
  const at = parseUpstreamUrl(url.origin);
  const { why } = urlRefusal(at, client.allowList()) ?? {
    why: `leads to a private address; the owner has to allow '${targetOf(at)}' first`,
  };
  return new AppError(error.code, `The archive's URL ${why}.`, error.details, error.cause);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Throws `invalid` for a text that is not a web address, for a URL with credentials, and for plain HTTP without a
 * digest to check, except to this machine.
 */
function parse(text: string, base: URL | undefined, isChecked: boolean): URL {
  if (!URL.canParse(text, base)) throw new AppError("invalid", `'${text.slice(0, 200)}' is not a URL.`);
  const url = new URL(text, base);
  if (!/^https?:$/.test(url.protocol) || !isHost(canonicalHost(url.hostname)))
    throw new AppError("invalid", "The URL must begin with https:// and name one host.");
  if (url.username !== "" || url.password !== "")
    throw new AppError("invalid", "The URL must not have a user name or password.");
  if (url.protocol === "http:" && !isChecked && !LOOPBACK.test(url.hostname))
    throw new AppError("invalid", "An http: URL requires the archive's SHA-256; pass it, or use https:.");
  return url;
}

/** SHA-256 of a file, in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

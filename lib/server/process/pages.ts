import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import compression from "compression";
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import sirv from "sirv";
import { AppError } from "../../errors";
import type { CheckedHead } from "../../http/core/edge-guard";
import type { Outbound, Peer } from "../../http/core/exchange";
import { isRoutedPath, normalizePath } from "../../http/core/normalize-path";
import { PEER_HEADER, peerHeader } from "../../http/core/peer-header";
import { renderError } from "../../http/core/render-error";
import { pageHeaders, pagePolicy } from "../../http/core/security-headers";
import { isForwardingHeader } from "../../http/node/peer";
import { authRefusal } from "./next-auth-endpoints";

/** Next's internal headers, deleted from incoming requests. */
const INTERNAL = /^x-(?:middleware|invoke|nextjs|matched-path|now-route|vercel|action|opennext)/;
/** The development server pairs a reply with its debug channel by these; without them, client navigation never ends. */
const DEVELOPMENT_HEADERS = /^x-nextjs-(?:html-)?request-id$/;
/** Two levels of brackets per level of the tree; pages of this console nest four levels. */
const MAX_STATE_NESTING = 64;
/** The paths of next-auth; Next would redirect every other spelling (a double or trailing slash). */
const AUTH_PATH = /^\/api\/auth(?:\/[A-Za-z_-]+)+$/;

/** Methods that Next's routes serve or refuse; for any other, Next replies with a plain-text 500 and logs a stack. */
const NEXT_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
]);

export interface Pages {
  /** The reply to send instead of a page; null: Next answers. */
  refuse(method: string, head: CheckedHead): Outbound | null;
  serve(message: IncomingMessage, response: ServerResponse, peer: Peer): Promise<void>;
  close(): Promise<void>;
}

type FileHandler = (message: IncomingMessage, response: ServerResponse, next: () => void) => void;
type NextHandler = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

function readJson(file: string): Record<string, string> {
  try {
    // Next's manifest: page file → URL path.
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Paths relative to `folder`, with forward slashes; empty when the folder does not exist. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"),
      );
  } catch {
    return [];
  }
}

/** Next's static files and `public/`, with their compressed copies (lib/server/build.mjs writes the folder). */
const filesFolder = (root: string): string => path.join(root, ".next", "patchbay", "files");

/** The URL paths of the built pages and of the static files. */
function knownAddresses(root: string): ReadonlySet<string> {
  const manifest = readJson(path.join(root, ".next", "app-path-routes-manifest.json"));
  const files = filesBelow(filesFolder(root)).filter((file) => !/\.(?:br|gz)$/.test(file));
  return new Set([...Object.values(manifest), ...files.map((file) => `/${file}`)]);
}

/** A coding that the caller refuses (RFC 9110 §12.4.2): `br;q=0`. */
const REFUSED_CODING = /;\s*q=0(?:\.0*)?\s*$/i;

/** The header without refused codings: sirv only looks for the name of a coding, not for its `q=0`. */
function withoutRefusedCodings(acceptEncoding: string): string {
  return acceptEncoding
    .split(",")
    .filter((coding) => !REFUSED_CODING.test(coding))
    .join(",");
}

/** Serves the static files, compressed at build as small as they get; calls `next` for every other path. */
export function createFileHandler(root: string): FileHandler {
  const serve = sirv(filesFolder(root), {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders(response, file) {
      // The names of Next's files contain a digest of their content.
      const isHashed = file.startsWith("/_next/static/");
      response.setHeader("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  return (message, response, next) => {
    const { headers } = message;
    const accepted = headers["accept-encoding"];
    if (accepted === undefined) return serve(message, response, next);
    headers["accept-encoding"] = withoutRefusedCodings(accepted);
    serve(message, response, () => {
      // Pages are compressed by another function, which reads the refusals: `gzip;q=0, *`.
      headers["accept-encoding"] = accepted;
      next();
    });
  };
}

/** Compresses pages larger than 1 KiB. Their only secret is the nonce of the policy, which is new in each reply. */
const compressPage = compression();

/** True when a 404 should be a page, for a browser; Next's static files get JSON. */
function wantsPage(head: CheckedHead): boolean {
  if (head.path.startsWith("/_next/")) return false;
  const accept = head.headers.get("accept") ?? "";
  return accept.includes("text/html") || head.headers.has("rsc");
}

const notFound = () => renderError("console", new AppError("unknown_url", "Unknown path."));

/**
 * True when Next can parse this `next-router-state-tree`; for any other, Next answers a plain-text 500 and logs a
 * stack. Uses Next's own parser, after limiting the nesting: that parser needs 0.1 s for 600 levels.
 */
function isRouterState(value: string): boolean {
  try {
    if (nestingOf(decodeURIComponent(value)) > MAX_STATE_NESTING) return false;
    parseAndValidateFlightRouterState(value);
    return true;
  } catch {
    return false;
  }
}

/** The deepest nesting of brackets in a JSON text; brackets inside strings count too. */
function nestingOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of json) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}

function refuseAuth(method: string, path: string): Outbound | null {
  if (!AUTH_PATH.test(path)) return notFound();
  if (NEXT_METHODS.has(method)) return null;
  const refusal = authRefusal(path.slice("/api/auth/".length), method);
  return refusal === null ? null : renderError("console", refusal);
}

export function createRefusal(isKnown: (path: string) => boolean): Pages["refuse"] {
  return (method, head) => {
    // Browsers resolve dots before they send a path, so only attacks contain them.
    if (normalizePath(head.path) !== head.path) return notFound();
    if (head.path.startsWith("/api/auth/")) return refuseAuth(method, head.path);
    const state = head.headers.get("next-router-state-tree");
    if (state !== undefined && !isRouterState(state))
      return renderError(
        "console",
        new AppError("invalid", "The header 'next-router-state-tree' is not a router state of this console."),
      );
    // The console has no server actions.
    if (head.headers.has("next-action")) return notFound();
    const path = decodeURIComponent(head.path);
    // An encoded spelling of an API path is no page, although Next has a route file for it.
    const isPage = isKnown(path) && !isRoutedPath(path);
    if (method !== "GET" && method !== "HEAD") {
      if (!isPage) return notFound();
      const allow = ["GET", "HEAD"];
      const message = `Method ${method} is not allowed; this path accepts GET, HEAD.`;
      return renderError("console", new AppError("method_not_allowed", message, { allow }));
    }
    return isPage || wantsPage(head) ? null : notFound();
  };
}

/** Removes internal and forwarding headers, and sets the peer header and the policy that Next reads its nonce from. */
export function prepareMessage(
  message: IncomingMessage,
  peer: Peer,
  policy: string,
  isDevelopment: boolean,
): void {
  for (const name of Object.keys(message.headers)) {
    if (isDevelopment && DEVELOPMENT_HEADERS.test(name)) continue;
    if (isForwardingHeader(name) || INTERNAL.test(name) || name === PEER_HEADER) delete message.headers[name];
  }
  message.headers["content-security-policy"] = policy;
  message.headers[PEER_HEADER] = peerHeader(peer);
}

/** Starts Next, which serves the pages, their files and next-auth's endpoints. */
export async function createPages(options: {
  isDevelopment: boolean;
  port: number;
  host: string;
  server: Server;
}): Promise<Pages> {
  const { default: next } = await import("next");
  const root = process.cwd();
  // Next's type says "function or namespace"; under Node's ESM it is the function.
  const make = next as unknown as (settings: object) => {
    prepare(): Promise<void>;
    getRequestHandler(): NextHandler;
    close(): Promise<void>;
  };
  const app = make({
    dev: options.isDevelopment,
    dir: root,
    hostname: options.host,
    port: options.port,
    // From its first page on, Next handles every Upgrade request of the server it gets. Only hot reloading needs that,
    // so otherwise Next gets a server that never listens.
    httpServer: options.isDevelopment ? options.server : createServer(),
    customServer: true,
  });
  await app.prepare();
  const handler = app.getRequestHandler();
  const known = options.isDevelopment ? null : knownAddresses(root);
  const serveFile: FileHandler = options.isDevelopment ? (_m, _r, next) => next() : createFileHandler(root);
  return {
    refuse: createRefusal((address) => known === null || known.has(address)),
    async serve(message, response, peer) {
      const policy = pagePolicy(randomBytes(16).toString("base64"), options.isDevelopment);
      prepareMessage(message, peer, policy, options.isDevelopment);
      const headers = pageHeaders(policy, peer.isSecure);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      await new Promise<void>((resolve, reject) => {
        const answerByNext = () => {
          handler(message, response).then(resolve, reject);
        };
        const isAuth = message.url?.startsWith("/api/auth/");
        response.on("close", resolve);
        serveFile(message, response, () => {
          if (isAuth) answerByNext();
          else compressPage(message, response, answerByNext);
        });
      });
    },
    close: () => app.close(),
  };
}

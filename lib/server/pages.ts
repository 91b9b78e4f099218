import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { AppError } from "../errors";
import type { CheckedHead } from "../http/edge-guard";
import type { Outbound, Peer } from "../http/exchange";
import { normalizePath } from "../http/normalize-path";
import { FORWARDING_HEADERS } from "../http/peer";
import { PEER_HEADER, peerHeader } from "../http/peer-header";
import { renderError } from "../http/render-error";
import { pageHeaders, pagePolicy } from "../http/security-headers";

/** Headers by which Next's own parts talk to each other; from outside they mean nothing (SECURITY NX-1). */
const INTERNAL = /^x-(?:middleware|invoke|nextjs|matched-path|now-route|vercel|action|opennext)/;
/** By these the development server pairs a reply with its debug channel; without them no page change ever ends. */
const OF_DEVELOPMENT = /^x-nextjs-(?:html-)?request-id$/;

export interface Pages {
  /** What to answer instead of a page; null: Next answers. */
  refuse(method: string, head: CheckedHead): Outbound | null;
  serve(message: IncomingMessage, response: ServerResponse, peer: Peer): Promise<void>;
  close(): Promise<void>;
}

type NextHandler = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

function readJson(file: string): Record<string, string> {
  try {
    // Next's own manifest: page file → address.
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Paths relative to `folder`, with forward slashes; none where there is no such folder. */
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

/** The addresses that the build made, its own files and those of `public/`. */
function knownAddresses(root: string): ReadonlySet<string> {
  const manifest = readJson(path.join(root, ".next", "app-path-routes-manifest.json"));
  return new Set([
    ...Object.values(manifest),
    ...filesBelow(path.join(root, "public")).map((file) => `/${file}`),
    ...filesBelow(path.join(root, ".next", "static")).map((file) => `/_next/static/${file}`),
  ]);
}

/** Somebody who reads pages gets one that says so; Next's own files are asked for by programs. */
function wantsPage(head: CheckedHead): boolean {
  if (head.path.startsWith("/_next/")) return false;
  const accept = head.headers.get("accept") ?? "";
  return accept.includes("text/html") || head.headers.has("rsc");
}

function createRefusal(isKnown: (path: string) => boolean): Pages["refuse"] {
  return (method, head) => {
    // Browsers resolve dots before they ask; what Next makes of them is nobody's business.
    if (normalizePath(head.path) !== head.path)
      return renderError("console", new AppError("unknown_url", "There is nothing at this address."));
    if (head.path.startsWith("/api/auth/")) return null;
    // There are no server actions, so nothing may look for one (SECURITY pitfall 25).
    if (head.headers.has("next-action"))
      return renderError("console", new AppError("unknown_url", "There is nothing at this address."));
    const isPage = isKnown(decodeURIComponent(head.path));
    if (method !== "GET" && method !== "HEAD") {
      const allow = ["GET", "HEAD"];
      const fault = isPage
        ? new AppError("method_not_allowed", `This address takes GET, HEAD, not ${method}.`, { allow })
        : new AppError("unknown_url", "There is nothing at this address.");
      return renderError("console", fault);
    }
    if (isPage || wantsPage(head)) return null;
    return renderError("console", new AppError("unknown_url", "There is nothing at this address."));
  };
}

/** Rewrites the message's headers to what pages may know, and sets the policy that Next takes its nonce from. */
function prepareMessage(message: IncomingMessage, peer: Peer, policy: string, isDevelopment: boolean): void {
  for (const name of Object.keys(message.headers)) {
    if (isDevelopment && OF_DEVELOPMENT.test(name)) continue;
    if (FORWARDING_HEADERS.has(name) || INTERNAL.test(name) || name === PEER_HEADER)
      delete message.headers[name];
  }
  message.headers["content-security-policy"] = policy;
  message.headers[PEER_HEADER] = peerHeader(peer);
}

/** Next as the answerer of pages, its files and next-auth's addresses. */
export async function openPages(options: {
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
    // Next takes every Upgrade of the server it is given, at its first page; only its reloading needs one.
    httpServer: options.isDevelopment ? options.server : createServer(),
    customServer: true,
  });
  await app.prepare();
  const handler = app.getRequestHandler();
  const known = options.isDevelopment ? null : knownAddresses(root);
  return {
    refuse: createRefusal((address) => known === null || known.has(address)),
    async serve(message, response, peer) {
      const policy = pagePolicy(randomBytes(16).toString("base64"), options.isDevelopment);
      prepareMessage(message, peer, policy, options.isDevelopment);
      const headers = pageHeaders(policy, peer.isSecure);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      await handler(message, response);
    },
    close: () => app.close(),
  };
}

import { createAudioEncoder } from "../../lib/audio/encode/create";
import { ensureEmbedded } from "../../lib/console/channels/ensure-embedded";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Inbound } from "../../lib/http/core/exchange";
import { ROUTES } from "../../lib/http/routes";
import { workerFile } from "../../lib/server/process/workers";
import { countTokens, countTokensInSteps } from "../../lib/text/tokenize";
import { addUser, openConsoleHarness, setUpOwner } from "./console-harness";
import { expectDocumented } from "./expect-documented";
import { type TestServices, testServices } from "./services";

export interface WholeReply {
  status: number;
  contentType: string;
  text: string;
  // Replies are looked at field by field.
  json: ReturnType<typeof JSON.parse>;
}

/** Every route over a real store and the embedded engines, set up, with an owner, an admin, a key and a channel. */
export interface ApiHarness {
  services: TestServices;
  ownerCookie: string;
  key: string;
  /** IDs of existing records, by the path's collection (`/api/keys`). */
  ids: Readonly<Record<string, string>>;
  /** Fails when the reply does not match the OpenAPI document. */
  call(request: {
    method: string;
    /** With its query. */
    path: string;
    headers?: Record<string, string>;
    /** Sent as JSON; undefined: no body. */
    body?: unknown;
  }): Promise<WholeReply>;
  close(): Promise<void>;
}

async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  if (body === null || body instanceof Uint8Array) return Buffer.from(body ?? []);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** `origin` is the channel's base URL, and the only address that channels may reach. */
export async function openApiHarness(origin: string): Promise<ApiHarness> {
  const services = await testServices({ upstreamAllow: [new URL(origin).host] });
  const encoder = createAudioEncoder({ workerFile: workerFile("encode") });
  Object.assign(services, { encoder, countTokens, countTokensInSteps });
  const console = openConsoleHarness(services);
  const ownerCookie = await setUpOwner(console);
  await ensureEmbedded(services.store, services.clock);
  const made = async (path: string, body: object): Promise<{ id: string; key?: string }> => {
    const reply = await console(path, { body, cookie: ownerCookie });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    return reply.json.data;
  };
  const admin = await addUser(console, ownerCookie, { username: "anna", role: "admin" });
  const key = await made("/api/keys", { name: "test" });
  const channel = await made("/api/channels", {
    name: "Loopback",
    provider: "openai",
    base_url: origin,
    keys: ["sk-upstream-0123456789abcdef"],
    models: [{ name: "tts-1", upstream_name: "tts-1" }],
  });
  const invite = await made("/api/invites", {});
  const handler = createDispatcher(ROUTES, async () => services);
  return {
    services,
    ownerCookie,
    key: key.key ?? "",
    ids: {
      "/api/keys": key.id,
      "/api/users": admin.id,
      "/api/channels": channel.id,
      "/api/invites": invite.id,
    },
    async call({ method, path: target, headers = {}, body }) {
      const [path = "", query = ""] = target.split("?");
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const leaving = new AbortController();
      const request: Inbound = {
        method,
        path,
        query,
        headers: new Map(
          Object.entries({
            ...(body === undefined
              ? {}
              : { "content-type": "application/json", "content-length": String(bytes.length) }),
            ...headers,
          }),
        ),
        peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
        requestId: "req-1",
        receivedAt: services.clock.monotonic(),
        signal: leaving.signal,
        readBody: async () => bytes,
      };
      const reply = await handler(request);
      const contentType = String(reply.headers["content-type"] ?? "");
      if (path === "/api/events") {
        // The stream is open until its reader leaves.
        leaving.abort();
        expectDocumented(request, { status: reply.status, contentType, text: "" });
        return { status: reply.status, contentType, text: "", json: null };
      }
      const text = (await bytesOf(reply.body)).toString("utf8");
      expectDocumented(request, { status: reply.status, contentType, text });
      const isJson = contentType.startsWith("application/json");
      return { status: reply.status, contentType, text, json: isJson ? JSON.parse(text) : null };
    },
    async close() {
      await encoder.close();
      await services.close();
    },
  };
}

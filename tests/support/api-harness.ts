import { createAudioEncoder } from "../../lib/audio/encode/create";
import { ensureEmbedded } from "../../lib/console/channels/ensure-embedded";
import { createDispatcher } from "../../lib/http/core/dispatch";
import { ROUTES } from "../../lib/http/routes";
import { workerFile } from "../../lib/server/process/workers";
import { countTokens, countTokensInSteps } from "../../lib/text/tokenize";
import { addUser, openConsoleHarness, setUpOwner } from "./console-harness";
import { inbound, wholeBody } from "./exchange";
import { expectDocumented } from "./expect-documented";
import { type TestServices, testServices } from "./services";

export interface WholeReply {
  status: number;
  contentType: string;
  text: string;
  // Tests read single fields of a reply.
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
    /** Sent as JSON, and a Uint8Array as it is; undefined: no body. */
    body?: unknown;
  }): Promise<WholeReply>;
  close(): Promise<void>;
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
      const bytes =
        body instanceof Uint8Array ? body : Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const leaving = new AbortController();
      const releases: (() => void)[] = [];
      const own =
        body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(bytes.length) };
      const request = inbound(target, {
        method,
        headers: Object.entries({ ...own, ...headers }),
        body: bytes,
        clock: services.clock,
        signal: leaving.signal,
        onFinished: (release) => void releases.push(release),
      });
      const reply = await handler(request);
      const contentType = String(reply.headers["content-type"] ?? "");
      if (request.path === "/api/events") {
        // The stream is open until its reader leaves.
        leaving.abort();
        expectDocumented(request, { ...reply, text: "" });
        return { status: reply.status, contentType, text: "", json: null };
      }
      const text = (await wholeBody(reply)).toString("utf8");
      for (const release of releases) release();
      expectDocumented(request, { ...reply, text });
      const isJson = contentType.startsWith("application/json");
      return { status: reply.status, contentType, text, json: isJson ? JSON.parse(text) : null };
    },
    async close() {
      await encoder.close();
      await services.close();
    },
  };
}

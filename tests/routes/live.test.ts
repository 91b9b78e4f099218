import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchChanges } from "../../lib/console/live/watch";
import type { GatewayState } from "../../lib/gateway/state";
import { authenticateConsole } from "../../lib/http/console/authenticate";
import { consoleContext } from "../../lib/http/console/pipeline";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Inbound } from "../../lib/http/core/exchange";
import { LIVE_ROUTES } from "../../lib/http/routes/console/live";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { chunked } from "../support/exchange";
import { type TestServices, testServices } from "../support/services";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let open: AbortController[];
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  open = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const one of open) one.abort();
  await services.close();
});

function request(headers: Record<string, string>): { inbound: Inbound; leave(): void } {
  const caller = new AbortController();
  open.push(caller);
  return {
    leave: () => caller.abort(),
    inbound: {
      method: "GET",
      path: "/api/events",
      query: "",
      headers: new Map(Object.entries(headers)),
      peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
      requestId: "r",
      receivedAt: 0,
      signal: caller.signal,
      onFinished: () => undefined,
      readBody: async () => new Uint8Array(0),
      streamBody: () => chunked(new Uint8Array(0)),
    },
  };
}

/** Opens an event stream; `next` returns the next event as sent. */
async function watch(headers: Record<string, string>) {
  const { inbound, leave } = request(headers);
  const reply = await createDispatcher(LIVE_ROUTES, async () => services)(inbound);
  const chunks =
    reply.body !== null && !(reply.body instanceof Uint8Array) ? reply.body[Symbol.asyncIterator]() : null;
  return {
    reply,
    leave,
    async next(): Promise<string | null> {
      const one = await chunks?.next();
      return one === undefined || one.done ? null : Buffer.from(one.value).toString();
    },
  };
}

const publish = (topic: Parameters<GatewayState["live"]["publish"]>[0], userId?: string) =>
  services.state.live.publish(topic, userId);

test("sends heartbeats as events, because pages cannot see comments in an event stream", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const page = await watch({ cookie: owner });
  expect(await page.next()).toContain("event: hello");
  vi.advanceTimersByTime(15_000);
  expect(await page.next()).toBe("event: beat\ndata:\n\n");
});

test("streams changed topics, with headers against buffering proxies", async () => {
  const page = await watch({ cookie: owner });
  expect(page.reply.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  const { id } = (await harness("/api/user/self", { cookie: owner })).json.data;
  expect(await page.next()).toContain(`event: hello\ndata: {"user_id":"${id}"}\n\n`);
  const made = await harness("/api/keys", { body: { name: "k", operations: ["speech"] }, cookie: owner });
  expect(made.status).toBe(200);
  expect(await page.next()).toBe('event: changed\ndata: {"topics":["keys"]}\n\n');
  page.leave();
  expect(await page.next()).toBeNull();
});

test("needs a session: refuses anonymous callers and management keys", async () => {
  expect((await watch({})).reply.status).toBe(401);
  const made = await harness("/api/keys", { body: { name: "m", operations: ["manage"] }, cookie: owner });
  expect((await watch({ authorization: `Bearer ${made.json.data.key}` })).reply.status).toBe(403);
});

test("sends members events of their own calls and none of administrator topics", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const page = await watch({ cookie: mia.cookie });
  await page.next();
  publish("circuits");
  publish("usage", "usr_other");
  await harness("/api/users", {
    body: { username: "noa", password: "nine blue lanterns drift" },
    cookie: owner,
  });
  publish("usage", mia.id);
  expect(await page.next()).toBe('event: changed\ndata: {"topics":["usage"]}\n\n');
});

test("ends the stream at once when its session ends", async () => {
  const mia = await addUser(harness, owner, { username: "mia" });
  const page = await watch({ cookie: mia.cookie });
  await page.next();
  const ending = page.next();
  expect((await harness("/api/user/logout", { body: {}, cookie: mia.cookie })).status).toBe(200);
  expect(await ending).toBe('event: ended\ndata: {"reason":"session"}\n\n');
  expect(await page.next()).toBeNull();
});

test("ends the stream of a disabled user, and gives a demoted one a member's topics", async () => {
  const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
  const page = await watch({ cookie: ada.cookie });
  await page.next();
  const user = (await services.store.users.findById(ada.id)) ?? { version: 0 };
  const at = { id: ada.id, version: user.version };
  const demoted = await services.store.transaction((tx) => tx.users.update(at, { role: "member" }));
  publish("circuits");
  publish("usage");
  expect(await page.next()).toBe('event: changed\ndata: {"topics":["usage"]}\n\n');
  const next = { id: ada.id, version: demoted?.version ?? 0 };
  await services.store.transaction((tx) => tx.users.update(next, { enabled: false }));
  expect(await page.next()).toContain('"reason":"session"');
});

test("ends the stream of an idle session at the next heartbeat; watching does not extend the session", async () => {
  const { inbound } = request({ cookie: owner });
  const ctx = consoleContext(services, inbound, await authenticateConsole(services, inbound));
  const events = watchChanges(ctx, inbound.signal, { beatMs: 5, throttleMs: 1 });
  expect(await events.next()).toMatchObject({ value: { kind: "hello" } });
  expect(await events.next()).toMatchObject({ value: { kind: "beat" } });
  services.clock.advance(3_600_000);
  let last = await events.next();
  while (last.value?.kind === "beat") last = await events.next();
  expect(last.value).toEqual({ kind: "ended", reason: "session" });
});

test("combines changes in quick succession into one event", async () => {
  const page = await watch({ cookie: owner });
  await page.next();
  publish("usage");
  expect(await page.next()).toContain('["usage"]');
  for (let index = 0; index < 1_000; index++) publish(index % 2 ? "usage" : "circuits");
  expect(await page.next()).toBe('event: changed\ndata: {"topics":["circuits","usage"]}\n\n');
});

test("limits streams per session; closing one frees a slot", async () => {
  const pages = await Promise.all(Array.from({ length: 8 }, () => watch({ cookie: owner })));
  const refused = await watch({ cookie: owner });
  expect(refused.reply.status).toBe(429);
  pages[0]?.leave();
  expect((await watch({ cookie: owner })).reply.status).toBe(200);
});

test("ends every stream and opens no new one when the server stops", async () => {
  const page = await watch({ cookie: owner });
  await page.next();
  const ending = page.next();
  services.state.live.close();
  expect(await ending).toContain('"reason":"closing"');
  expect(await page.next()).toBeNull();
  expect((await watch({ cookie: owner })).reply.status).toBe(503);
});

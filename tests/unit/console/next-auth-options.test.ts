import type { AuthOptions } from "next-auth";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nextAuthOptions } from "../../../lib/http/console/next-auth-options";
import { consoleContext } from "../../../lib/http/console/pipeline";
import { decryptSession } from "../../../lib/http/console/session-cookie";
import type { Inbound } from "../../../lib/http/core/exchange";
import { type ConsoleHarness, openConsoleHarness, setUpOwner } from "../../support/console-harness";
import { type TestServices, testServices } from "../../support/services";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let options: AuthOptions;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  options = nextAuthOptions(consoleContext(services, inbound(), { kind: "anonymous" }));
});
afterEach(() => services.close());

// Only these fields are read.
const inbound = () =>
  ({
    headers: new Map(),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "req-1",
  }) as unknown as Inbound;
const sidOf = async (cookie: string) =>
  (await decryptSession(services, cookie.slice(cookie.indexOf("=") + 1))) ?? "";
const call = (name: "jwt" | "session", params: object): Promise<object> => {
  // Our callbacks read only some of next-auth's parameters.
  const callback = options.callbacks?.[name] as ((params: object) => Promise<object>) | undefined;
  if (callback === undefined) throw new Error(`There is no callback ${name}.`);
  return callback(params);
};
const jwt = (token: object, more: object = {}) => call("jwt", { token, ...more });
const session = (token: object) => call("session", { token, session: {} });

test("next-auth has no sign-in provider", () => {
  expect(options.providers).toEqual([]);
});

describe("the next-auth token", () => {
  test("contains only the session ID, whatever a client sends with an update", async () => {
    const sid = await sidOf(owner);
    const update = { trigger: "update", session: { role: "root", twofa: true, sid: "another" } };
    expect(await jwt({ sid, role: "root", name: "x" }, update)).toEqual({ sid });
  });

  test("encrypts its cookie with the same secret and form as ours", async () => {
    const sid = await sidOf(owner);
    const encrypted = await options.jwt?.encode?.({ token: { sid }, secret: "ignored", maxAge: 1 });
    expect(await decryptSession(services, encrypted ?? "")).toBe(sid);
    const reply = await harness("/api/user/self", { cookie: `next-auth.session-token=${encrypted}` });
    expect(reply.status).toBe(200);
  });

  test("is rejected when its session has ended", async () => {
    const sid = await sidOf(owner);
    expect(await session({ sid })).toMatchObject({ user: { role: "owner", name: "olivia" } });
    await harness("/api/user/logout", { body: {}, cookie: owner });
    await expect(session({ sid })).rejects.toThrow("ended");
    await expect(jwt({ sid })).rejects.toThrow("ended");
    await expect(jwt({})).rejects.toThrow("ended");
  });

  test("has a session with only the user's fields that the page needs", async () => {
    const shown = (await session({ sid: await sidOf(owner) })) as { user: object };
    expect(Object.keys(shown).sort()).toEqual(["expires", "user"]);
    expect(Object.keys(shown.user).sort()).toEqual(["email", "id", "name", "role"]);
  });
});

test("sign-out through next-auth ends the session and is audited like any sign-out", async () => {
  const sid = await sidOf(owner);
  // Only the token is read.
  await options.events?.signOut?.({ token: { sid } } as never);
  expect((await harness("/api/user/self", { cookie: owner })).status).toBe(401);
  const { items } = await services.store.audit.list({ limit: 1, cursor: null, q: null });
  expect(items[0]).toMatchObject({ action: "logout", actor: items[0]?.target });
  await options.events?.signOut?.({ token: { sid } } as never);
});

describe("the redirect after sign-in", () => {
  const baseUrl = "http://localhost:3000";
  const redirect = (url: string) => options.callbacks?.redirect?.({ url, baseUrl });

  test.each(["/keys?q=x#y", "/@evil"])("keeps %s", async (url) => {
    expect(await redirect(url)).toBe(`${baseUrl}${url}`);
    expect(await redirect(`${baseUrl}${url}`)).toBe(`${baseUrl}${url}`);
  });

  test.each([
    "https://evil",
    "//evil",
    "/\\evil",
    "/%2f%2fevil",
    "javascript:alert(1)",
    "data:text/html,x",
    "https:evil",
    "https://base.evil",
    "https://base@evil",
    "http://localhost:3000.evil",
    "http://localhost:3000@evil",
    "http://localhost:30001/x",
    "http://localhost:3000//evil",
    "http://localhost:3000/\\evil",
    "\t//evil",
    "/..//evil",
    "%00//evil",
    "HTTPS://EVIL",
    "//[::1]",
    "",
  ])("replaces %j with the front page", async (url) => expect(await redirect(url)).toBe(`${baseUrl}/`));
});

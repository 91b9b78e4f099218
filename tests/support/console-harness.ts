import type { ConsoleServices } from "../../lib/console/context";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Peer } from "../../lib/http/core/exchange";
import type { Route } from "../../lib/http/core/route";
import { ACCOUNT_ROUTES } from "../../lib/http/routes/console/account";
import { ALERTS_ROUTES } from "../../lib/http/routes/console/alerts";
import { KEYS_ROUTES } from "../../lib/http/routes/console/api-keys";
import { AUDIT_ROUTES } from "../../lib/http/routes/console/audit";
import { CHANNELS_ROUTES } from "../../lib/http/routes/console/channels";
import { INVITES_ROUTES } from "../../lib/http/routes/console/invites";
import { CONSOLE_MODELS_ROUTES } from "../../lib/http/routes/console/models";
import { SETTINGS_ROUTES } from "../../lib/http/routes/console/settings";
import { SETUP_ROUTES } from "../../lib/http/routes/console/setup";
import { SIGN_IN_ROUTES } from "../../lib/http/routes/console/sign-in";
import { TWO_FACTOR_ROUTES } from "../../lib/http/routes/console/two-factor";
import { USAGE_ROUTES } from "../../lib/http/routes/console/usage";
import { USERS_ROUTES } from "../../lib/http/routes/console/users";
import { INSTANCES_ROUTES } from "../../lib/http/routes/operations";
import { inbound } from "./exchange";
import { expectDocumented } from "./expect-documented";
import type { FakeClock } from "./factories";
import { totpCode } from "./totp";

export const OWNER = { username: "olivia", password: "seven green kettles hum" };

export interface ConsoleCall {
  method?: string;
  /** Sent as JSON. */
  body?: unknown;
  cookie?: string;
  /** `undefined` removes a default header. */
  headers?: Record<string, string | undefined>;
  peer?: Partial<Peer>;
  /** Called while the body is read. */
  whileReading?(): unknown;
}

export interface ConsoleReply {
  status: number;
  headers: Record<string, string | string[]>;
  text: string;
  // Tests read single fields of a reply.
  json: ReturnType<typeof JSON.parse>;
  setCookies: string[];
  /** Name and value of each cookie that was set and not removed, as a browser would send them back. */
  cookie: string;
}

export type ConsoleHarness = (path: string, call?: ConsoleCall) => Promise<ConsoleReply>;

const ACCOUNT: readonly Route[] = [
  ...SETUP_ROUTES,
  ...SIGN_IN_ROUTES,
  ...TWO_FACTOR_ROUTES,
  ...ACCOUNT_ROUTES,
  ...KEYS_ROUTES,
  ...USERS_ROUTES,
  ...INVITES_ROUTES,
  ...USAGE_ROUTES,
  ...SETTINGS_ROUTES,
  ...INSTANCES_ROUTES,
  ...AUDIT_ROUTES,
  ...ALERTS_ROUTES,
  ...CHANNELS_ROUTES,
  ...CONSOLE_MODELS_ROUTES,
];

/** The console's routes, or those given, behind the real pipeline. */
export function openConsoleHarness(
  services: ConsoleServices,
  routes: readonly Route[] = ACCOUNT,
): ConsoleHarness {
  const handler = createDispatcher(routes, async () => services);
  return async (target, call = {}) => {
    const bytes = Buffer.from(call.body === undefined ? "" : JSON.stringify(call.body));
    const method = call.method ?? (call.body === undefined ? "GET" : "POST");
    const sent = {
      ...(method === "GET"
        ? {}
        : { "content-type": "application/json", "content-length": String(bytes.length) }),
      ...call.headers,
      cookie: call.cookie ?? call.headers?.cookie,
    };
    const request = inbound(target, {
      method,
      headers: Object.entries(sent).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      ),
      body: bytes,
      clock: services.clock,
      peer: call.peer ?? {},
      whileReading: call.whileReading,
    });
    const reply = await handler(request);
    const text = reply.body instanceof Uint8Array ? Buffer.from(reply.body).toString("utf8") : "";
    if (text !== "") expectDocumented(request, { ...reply, text });
    const setCookies = [reply.headers["set-cookie"] ?? []].flat();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      json: text === "" ? null : JSON.parse(text),
      setCookies,
      cookie: setCookies
        .filter((one) => !one.includes("Max-Age=0;"))
        .map((one) => one.split(";")[0])
        .join("; "),
    };
  };
}

/** Sets the instance up and returns the owner's cookie. */
export async function setUpOwner(harness: ConsoleHarness): Promise<string> {
  const reply = await harness("/api/setup", { body: OWNER });
  if (reply.status !== 200) throw new Error(`setup: ${reply.text}`);
  return reply.cookie;
}

/** Changes settings, on top of their newest version unless `change` names one. */
export async function changeSettings(
  harness: ConsoleHarness,
  cookie: string,
  change: object,
): Promise<ConsoleReply> {
  // Undefined where the caller may not read the settings.
  const version = (await harness("/api/settings", { cookie })).json.data?.version;
  return harness("/api/settings", { method: "PATCH", body: { version, ...change }, cookie });
}

/** Enables 2FA for a session's user, then advances the clock to a step whose code is unused. */
export async function enrol(
  harness: ConsoleHarness,
  clock: FakeClock,
  cookie: string,
): Promise<{ secret: string; backupCodes: string[] }> {
  const begun = await harness("/api/user/2fa/setup", { body: {}, cookie });
  if (begun.status !== 200) throw new Error(`2fa setup: ${begun.text}`);
  const { secret } = begun.json.data;
  const enabled = await harness("/api/user/2fa/enable", {
    body: { code: totpCode(secret, clock.now()) },
    cookie,
  });
  if (enabled.status !== 200) throw new Error(`2fa enable: ${enabled.text}`);
  clock.advance(60_000);
  return { secret, backupCodes: enabled.json.data.backup_codes };
}

/** Adds a user by the owner's cookie and signs them in. */
export async function addUser(
  harness: ConsoleHarness,
  owner: string,
  fields: { username: string; role?: "admin" | "member" },
): Promise<{ id: string; cookie: string; password: string }> {
  const password = "nine blue lanterns drift";
  const made = await harness("/api/users", { body: { password, ...fields }, cookie: owner });
  if (made.status !== 200) throw new Error(`user: ${made.text}`);
  const login = await harness("/api/user/login", { body: { username: fields.username, password } });
  if (login.status !== 200) throw new Error(`login: ${login.text}`);
  return { id: made.json.data.id, cookie: login.cookie, password };
}

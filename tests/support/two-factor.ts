import { type ConsoleHarness, type ConsoleReply, OWNER } from "./console-harness";
import type { FakeClock } from "./services";
import { totpCode } from "./totp";

export const STEP = 30_000;
export const MINUTE = 60_000;

/** A well-formed code that is none of those of the next and last minute; another for another `salt`. */
export function wrongCode(secret: string, clock: FakeClock, salt = 0): string {
  const good = new Set([-2, -1, 0, 1, 2].map((step) => totpCode(secret, clock.now() + step * STEP)));
  for (let number = salt; ; number++) {
    const code = String(number % 1_000_000).padStart(6, "0");
    if (!good.has(code)) return code;
  }
}

/** A sign-in whose password was right. */
export async function beginSignIn(
  door: ConsoleHarness,
  who: { username: string; password: string } = OWNER,
): Promise<{ token: string; cookie: string; reply: ConsoleReply }> {
  const reply = await door("/api/user/login", { body: { username: who.username, password: who.password } });
  if (reply.json.data?.require_2fa !== true) throw new Error(`No second step: ${reply.text}`);
  return { token: reply.json.data.flow_token, cookie: reply.cookie, reply };
}

/** Password, then code. */
export async function signInWith(
  door: ConsoleHarness,
  code: string,
  who?: { username: string; password: string },
): Promise<ConsoleReply> {
  const { token } = await beginSignIn(door, who);
  return door("/api/user/login/2fa", { body: { code, flow_token: token } });
}

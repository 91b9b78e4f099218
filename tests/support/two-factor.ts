import { type ConsoleHarness, type ConsoleReply, OWNER } from "./console-harness";
import type { FakeClock } from "./factories";
import { totpCode } from "./totp";

export const STEP = 30_000;
export const MINUTE = 60_000;

/** A well-formed code that is wrong for the last and the next minute. Each `salt` starts the search at another code. */
export function wrongCode(secret: string, clock: FakeClock, salt = 0): string {
  const good = new Set([-2, -1, 0, 1, 2].map((step) => totpCode(secret, clock.now() + step * STEP)));
  for (let number = salt; ; number++) {
    const code = String(number % 1_000_000).padStart(6, "0");
    if (!good.has(code)) return code;
  }
}

/** Starts a sign-in with the right password. */
export async function beginSignIn(
  harness: ConsoleHarness,
  who: { username: string; password: string } = OWNER,
): Promise<{ token: string; cookie: string; reply: ConsoleReply }> {
  const reply = await harness("/api/user/login", {
    body: { username: who.username, password: who.password },
  });
  if (reply.json.data?.require_2fa !== true) throw new Error(`No 2FA flow: ${reply.text}`);
  return { token: reply.json.data.flow_token, cookie: reply.cookie, reply };
}

/** Signs in with password, then code. */
export async function signInWith(
  harness: ConsoleHarness,
  code: string,
  who?: { username: string; password: string },
): Promise<ConsoleReply> {
  const { token } = await beginSignIn(harness, who);
  return harness("/api/user/login/2fa", { body: { code, flow_token: token } });
}

import type { Routed } from "./routed";

const PASSWORD = "nine blue lanterns drift";

/** Creates a user, signs them in and returns their session cookie. */
export async function createUser(
  routed: Pick<Routed, "call" | "product">,
  fields: { username: string; role: "admin" | "member" },
): Promise<string> {
  await routed.call("/api/users", { password: PASSWORD, ...fields });
  const reply = await fetch(`${routed.product.url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: fields.username, password: PASSWORD }),
  });
  if (reply.status !== 200) throw new Error(`sign-in failed: ${await reply.text()}`);
  return reply.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

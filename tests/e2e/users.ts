import { signIn } from "../support/product";

export const PASSWORD = "nine blue lanterns drift";

/** Creates a user with `owner`, the session cookie of the instance's owner, and signs the user in. */
export async function createUser(
  url: string,
  owner: string,
  { username, role }: { username: string; role: "admin" | "member" },
): Promise<{ id: string; cookie: string }> {
  const reply = await fetch(`${url}/api/users`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: owner },
    body: JSON.stringify({ username, password: PASSWORD, role }),
  });
  if (reply.status !== 200) throw new Error(`create user: ${reply.status} ${await reply.text()}`);
  const { data } = await reply.json();
  return { id: data.id, cookie: await signIn(url, { username, password: PASSWORD }) };
}

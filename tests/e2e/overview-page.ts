import { createKey } from "../support/product";
import { createUser } from "./users";

export { expect, signInByCookie, test } from "./fixtures";

/** Creates a member with a session and an API key. */
export async function addMember(
  url: string,
  owner: string,
  username: string,
): Promise<{ id: string; cookie: string; key: string }> {
  const { id, cookie } = await createUser(url, owner, { username, role: "member" });
  return { id, cookie, key: await createKey(url, cookie, { name: `${username}'s` }) };
}

import { createKey } from "../support/product";

export { expect, signInByCookie, test } from "./fixtures";

/** Creates a member with a session and an API key. */
export async function addMember(
  url: string,
  owner: string,
  username: string,
): Promise<{ id: string; cookie: string; key: string }> {
  const password = "nine blue lanterns drift";
  const send = (route: string, body: object, cookie = "") =>
    fetch(url + route, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
  const made = await send("/api/users", { username, password }, owner);
  const { data } = (await made.json()) as { data: { id: string } };
  const login = await send("/api/user/login", { username, password });
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return { id: data.id, cookie, key: await createKey(url, cookie, { name: `${username}'s` }) };
}

export const PASSWORD = "nine blue lanterns drift";

/** Creates a user as the owner of the instance, whose session `owner` is, and signs them in. */
export async function createUser(
  url: string,
  owner: string,
  fields: { username: string; role: "admin" | "member" },
): Promise<{ id: string; cookie: string }> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply;
  };
  const created = await post("/api/users", { password: PASSWORD, ...fields }, { cookie: owner });
  const { data } = await created.json();
  const { headers } = await post("/api/user/login", { username: fields.username, password: PASSWORD });
  const cookies = headers.getSetCookie().map((one) => one.split(";")[0]);
  return { id: data.id, cookie: cookies.join("; ") };
}

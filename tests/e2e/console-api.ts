/** Calls the console API and returns the `data` of the reply. */
export async function call(
  url: string,
  cookie: string,
  method: string,
  path: string,
  body?: object,
): Promise<ReturnType<typeof JSON.parse>> {
  const reply = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await reply.json()).data;
}

/** Changes settings on top of their newest version. */
export async function changeSettings(url: string, cookie: string, change: object): Promise<void> {
  const { version } = await call(url, cookie, "GET", "/api/settings");
  const saved = await call(url, cookie, "PATCH", "/api/settings", { ...change, version });
  if (saved === undefined) throw new Error("the settings were not saved");
}

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

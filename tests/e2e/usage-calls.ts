import { expect } from "playwright/test";

async function post<T>(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<T> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const { data } = await reply.json();
  // The caller names what it asked for.
  return data as T;
}

export interface Program {
  id: string;
  key: string;
}

/** A key of its own, so that what a test has called can be told from what others have. */
export function makeProgram(place: { url: string; cookie: string }, name: string): Promise<Program> {
  return post<Program>(place.url, "/api/keys", { name }, { cookie: place.cookie });
}

/** One embeddings call with that key; resolves with its request id. */
export async function embed(
  url: string,
  { key }: Pick<Program, "key">,
  { model = "patchbay-embed", input = "lamp", tags }: { model?: string; input?: string; tags?: string } = {},
): Promise<string> {
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      ...(tags ? { "x-patchbay-tags": tags } : {}),
    },
    body: JSON.stringify({ model, input }),
  });
  await reply.arrayBuffer();
  return reply.headers.get("x-request-id") ?? "";
}

/** A model whose one channel is off: calls of it reach the books and fail. */
export async function makeDeadModel(place: { url: string; cookie: string }, name: string): Promise<void> {
  const made = await post<{ id: string }>(
    place.url,
    "/api/channels",
    {
      name: `Channel of ${name}`,
      provider: "openai",
      base_url: "https://api.openai.com/v1",
      keys: ["sk-of-a-test-0000"],
      models: [{ name, upstream_name: name, operation: "embeddings" }],
      enabled: false,
    },
    { cookie: place.cookie },
  );
  expect(made.id).toMatch(/^chn_/);
}

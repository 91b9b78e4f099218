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
  // Unchecked: the caller knows the reply's type.
  return data as T;
}

export interface TestKey {
  id: string;
  key: string;
}

/** Creates an API key, which separates the calls of a test from those of others. */
export function createTestKey(product: { url: string; cookie: string }, name: string): Promise<TestKey> {
  return post<TestKey>(product.url, "/api/keys", { name }, { cookie: product.cookie });
}

/** Makes one embeddings call with that key; resolves with its request ID. */
export async function embed(
  url: string,
  { key }: Pick<TestKey, "key">,
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

/** Creates a model whose only channel is disabled: its calls fail and are recorded. */
export async function createUnavailableModel(
  product: { url: string; cookie: string },
  name: string,
): Promise<void> {
  const channel = await post<{ id: string }>(
    product.url,
    "/api/channels",
    {
      name: `Channel of ${name}`,
      provider: "openai",
      base_url: "https://api.openai.com/v1",
      keys: ["sk-of-a-test-0000"],
      models: [{ name, upstream_name: name, operation: "embeddings" }],
      enabled: false,
    },
    { cookie: product.cookie },
  );
  expect(channel.id).toMatch(/^chn_/);
}

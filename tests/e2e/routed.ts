import type { Page } from "playwright/test";
import { OWNER, type Product, setUp, startProduct } from "../support/product";
import { startUpstream, type Upstream } from "../support/upstream/server";
import { test as base, signInByCookie } from "./fixtures";

export const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";

export interface Routed {
  product: Product;
  upstream: Upstream;
  /** The upstream key that the upstream accepts; change it to make the channel's key invalid. */
  accepted: { key: string };
  /** The owner's session cookie. */
  cookie: string;
  /** Calls the console API as the owner; throws on any status but 200. */
  call(path: string, body?: unknown, method?: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Allows channels to reach the loopback upstream. */
  allow(): Promise<void>;
  /** Creates a channel to the upstream; call `allow` first. */
  channel(name: string, fields?: object): Promise<{ id: string; version: number }>;
  /** Sends an embeddings request with its own API key and returns the HTTP status. */
  embed(model: string): Promise<number>;
}

interface Fixtures {
  /** True for tests of figures, alerts and rejections: these cannot be deleted, so each test gets a new instance. */
  needsNewInstance: boolean;
  routed: Routed;
  /** The page, signed in as the owner. */
  routedPage: Page;
}

interface WorkerFixtures {
  /** An instance whose channels, models, keys, users and allowed addresses are deleted after each test. */
  reused: { product: Product; cookie: string };
}

type Call = Routed["call"];

function callAsOwner({ url }: Product, cookie: string): Call {
  return async (path, body, method = body === undefined ? "GET" : "POST") => {
    const reply = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()).data;
  };
}

/** Deletes what a test has created. */
async function removeRecords(call: Call): Promise<void> {
  const remove = (path: string) => call(path, undefined, "DELETE");
  const listed = async (path: string): Promise<Record<string, string>[]> => (await call(path)).items;
  for (const { id = "" } of await listed("/api/channels"))
    if (!id.startsWith("chn_builtin_")) await remove(`/api/channels/${id}`);
  for (const { name = "" } of await listed("/api/models"))
    if (!name.startsWith("patchbay-")) await remove(`/api/models/${name}`);
  for (const { id } of await listed("/api/keys?limit=100")) await remove(`/api/keys/${id}`);
  for (const { id, role } of await listed("/api/users?limit=100"))
    if (role !== "owner") await remove(`/api/users/${id}`);
  for (const { id } of await listed("/api/invites?limit=100")) await remove(`/api/invites/${id}`);
  for (const target of (await call("/api/upstreams/allowed")).targets)
    await remove(`/api/upstreams/allowed/${encodeURIComponent(target)}`);
}

/** An instance with a loopback upstream that accepts one key, and the owner's page. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  needsNewInstance: [false, { option: true }],
  reused: [
    async ({}, use) => {
      const product = await startProduct();
      await use({ product, cookie: await setUp(product.url) });
      await product.close();
    },
    { scope: "worker" },
  ],
  // Depends on `page`, so that the page can leave before its records are deleted.
  routed: async ({ page, reused, needsNewInstance }, use) => {
    const newProduct = needsNewInstance ? await startProduct() : null;
    const product = newProduct ?? reused.product;
    const cookie = newProduct === null ? reused.cookie : await setUp(newProduct.url);
    const call = callAsOwner(product, cookie);
    const accepted = { key: UPSTREAM_KEY };
    const upstream = await startUpstream(accepted);
    const base_url = `${upstream.origin}/v1`;
    let key: string | null = null;
    await use({
      product,
      upstream,
      accepted,
      cookie,
      call,
      allow: () => call("/api/upstreams/allowed", { base_url, password: OWNER.password }),
      channel: (name, fields = {}) =>
        call("/api/channels", { name, provider: "openai", base_url, keys: [UPSTREAM_KEY], ...fields }),
      async embed(model) {
        key ??= (await call("/api/keys", { name: "Program" })).key;
        const reply = await fetch(`${product.url}/v1/embeddings`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            authorization: `Bearer ${key}`,
            "cache-control": "no-store",
          },
          body: JSON.stringify({ model, input: "kettle" }),
        });
        await reply.arrayBuffer();
        return reply.status;
      },
    });
    // Leave the page first: its event stream would fail when the server stops.
    await page.goto("about:blank");
    if (newProduct === null) await removeRecords(call);
    else await newProduct.close();
    await upstream.close();
  },
  routedPage: async ({ page, routed }, use) => {
    await signInByCookie(page, routed.product.url, routed.cookie);
    await use(page);
  },
});

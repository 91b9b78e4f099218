import type { Page } from "playwright/test";
import { OWNER, type Product, setUp } from "../support/product";
import { startUpstream, type Upstream } from "../support/upstream/server";
import { test as base, signInByCookie } from "./fixtures";

export const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";

export interface Routed {
  product: Product;
  upstream: Upstream;
  /** The upstream key that the upstream accepts; change it to make the channel's key invalid. */
  takes: { key: string };
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

/** A new instance per test, with a loopback upstream that accepts one key, and the owner's page. */
export const test = base.extend<{ routed: Routed; routedPage: Page }>({
  routed: async ({ freshProduct }, use) => {
    const takes = { key: UPSTREAM_KEY };
    const upstream = await startUpstream(takes);
    const cookie = await setUp(freshProduct.url);
    const call: Routed["call"] = async (path, body, method = body === undefined ? "GET" : "POST") => {
      const reply = await fetch(freshProduct.url + path, {
        method,
        headers: { "content-type": "application/json", cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
      return (await reply.json()).data;
    };
    const base_url = `${upstream.origin}/v1`;
    let key: string | null = null;
    await use({
      product: freshProduct,
      upstream,
      takes,
      cookie,
      call,
      allow: () => call("/api/upstreams/allowed", { base_url, password: OWNER.password }),
      channel: (name, fields = {}) =>
        call("/api/channels", { name, provider: "openai", base_url, keys: [UPSTREAM_KEY], ...fields }),
      async embed(model) {
        key ??= (await call("/api/keys", { name: "Program" })).key;
        const reply = await fetch(`${freshProduct.url}/v1/embeddings`, {
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
    await upstream.close();
  },
  routedPage: async ({ page, routed }, use) => {
    await signInByCookie(page, routed.product.url, routed.cookie);
    await use(page);
  },
});

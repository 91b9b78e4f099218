import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readGuide } from "@/app/(console)/docs/read-guide";
import { startCaddy } from "../support/caddy";
import { startNginx } from "../support/nginx";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";
import { type RawReply, sendRaw } from "../support/raw-request";
import { sendOver, startRouted, until } from "../support/routed-product";

/**
 * The caller's address: that of the socket, or the one that a trusted proxy names. 127.0.0.2 is the
 * trusted proxy here; 127.0.0.1 is an untrusted client.
 */
const PROXY = "127.0.0.2";

let product: Product;
let cookie: string;
let officeKey: string;

beforeAll(async () => {
  product = await startProduct({
    nodeAdapterOnly: true,
    env: {
      PATCHBAY_TRUSTED_PROXIES: `${PROXY}, 192.0.2.0/24`,
      PATCHBAY_LIMITS: JSON.stringify({ loginAttemptsPerMinute: 3 }),
    },
  });
  cookie = await setUp(product.url);
  officeKey = await createKey(product.url, cookie, {
    allowed_addresses: ["203.0.113.0/24", "2001:db8:1::/48"],
  });
});
afterAll(() => product?.close());

function embed(headers: Record<string, string>, from?: string): Promise<RawReply> {
  return sendRaw(product.url, {
    path: "/v1/embeddings",
    headers: { authorization: `Bearer ${officeKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "patchbay-embed", input: "x", dimensions: 8 }),
    ...(from ? { from } : {}),
  });
}

describe("an address list", () => {
  const OFFICE = "203.0.113.9";
  test.each<[string, string, number]>([
    ["the office", OFFICE, 200],
    ["the office with a port", `${OFFICE}:4711`, 200],
    ["the office in IPv6", "2001:db8:1:2::3", 200],
    ["the office in IPv6 with a port", '"[2001:db8:1:2::3]:4711"', 200],
    ["the office as a mapped address", `::ffff:${OFFICE}`, 200],
    ["the office behind another trusted proxy", `${OFFICE}, 192.0.2.7`, 200],
    ["another client", "198.51.100.7", 403],
    ["another client that names the office", `${OFFICE}, 198.51.100.7`, 403],
    ["another client behind another trusted proxy", `${OFFICE}, 198.51.100.7, 192.0.2.7`, 403],
    ["no address at all", "unknown", 403],
    ["an empty list", "", 403],
    ["a list of a thousand", `${"203.0.113.9,".repeat(999)}198.51.100.7`, 403],
  ])("a trusted proxy that names %s (X-Forwarded-For: %s) gets %i", async (_name, forwarded, status) => {
    expect((await embed({ "x-forwarded-for": forwarded }, PROXY)).status).toBe(status);
  });

  test.each([
    ["x-forwarded-for", OFFICE],
    ["x-forwarded-for", `${OFFICE},`.repeat(1_000)],
    ["x-real-ip", OFFICE],
    ["x-client-ip", OFFICE],
    ["true-client-ip", OFFICE],
    ["cf-connecting-ip", OFFICE],
    ["forwarded", `for=${OFFICE}`],
    ["x-patchbay-peer", `;1;1;${OFFICE}`],
  ])("ignores the header %s of an untrusted client", async (name, value) => {
    const reply = await embed({ [name]: value });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ error: { code: "ip_not_allowed" } });
  });

  test("ignores other headers of the trusted proxy", async () => {
    expect((await embed({ "x-real-ip": OFFICE }, PROXY)).status).toBe(403);
  });
});

describe("https", () => {
  const login = (headers: Record<string, string>, from?: string) =>
    sendRaw(product.url, {
      path: "/api/user/login",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(OWNER),
      ...(from ? { from } : {}),
    });

  test("an untrusted X-Forwarded-Proto changes neither cookies nor headers", async () => {
    const reply = await login({ "x-forwarded-proto": "https", "x-forwarded-ssl": "on" });
    expect(reply.status).toBe(200);
    const [session = ""] = reply.headers["set-cookie"] ?? [];
    expect(session).toMatch(/^next-auth\.session-token=/);
    expect(session).not.toMatch(/secure/i);
    expect(reply.headers["strict-transport-security"]).toBeUndefined();
  });

  test("the trusted proxy's https makes cookies Secure and sends HSTS for at least a year", async () => {
    const reply = await login({ "x-forwarded-proto": "https", "x-forwarded-for": "198.51.100.20" }, PROXY);
    expect(reply.status).toBe(200);
    for (const one of reply.headers["set-cookie"] ?? []) {
      expect(one).toMatch(/^__Host-/);
      expect(one).toMatch(/; Secure/);
      expect(one).not.toMatch(/domain=/i);
    }
    expect(
      Number(/max-age=(\d+)/.exec(reply.headers["strict-transport-security"] ?? "")?.[1]),
    ).toBeGreaterThanOrEqual(31_536_000);
  });

  test("uses the last of two schemes, which the trusted proxy added", async () => {
    const address = { "x-forwarded-for": "198.51.100.21" };
    const forged = await login({ ...address, "x-forwarded-proto": "https, http" }, PROXY);
    expect(forged.headers["strict-transport-security"]).toBeUndefined();
  });
});

describe("limits per address", () => {
  const wrong = (headers: Record<string, string>, from?: string) =>
    sendRaw(product.url, {
      path: "/api/user/login",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ username: `unknown-${Math.random()}`, password: "not the password" }),
      ...(from ? { from } : {}),
    });

  test("apply to one caller despite a changing X-Forwarded-For", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await wrong({ "x-forwarded-for": `198.51.100.${i}` }, "127.0.0.3")).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  test("apply to each caller behind the trusted proxy, by /64 in IPv6", async () => {
    const through = async (address: string) => (await wrong({ "x-forwarded-for": address }, PROXY)).status;
    const first = [];
    for (let i = 0; i < 4; i++) first.push(await through(`2001:db8:9:9::${i + 1}`));
    expect(first).toEqual([401, 401, 401, 429]);
    expect(await through("2001:db8:9:a::1")).toBe(401);
  });
});

describe("/metrics", () => {
  const read = (url: string, headers: Record<string, string> = {}, from?: string) =>
    sendRaw(url, { method: "GET", path: "/metrics", headers, ...(from ? { from } : {}) });

  test.each<[string, Record<string, string>, number]>([
    ["this machine", {}, 200],
    ["a forwarding header", { "x-forwarded-for": "127.0.0.1" }, 403],
    ["a Via header", { via: "1.1 proxy" }, 403],
    ["another Host", { host: "metrics.example" }, 403],
    ["an unset token", { authorization: "Bearer anything-at-all", via: "1.1 proxy" }, 403],
  ])("without a metrics token, %s (headers %o) gets %i", async (_name, headers, status) => {
    expect((await read(product.url, headers)).status).toBe(status);
  });

  test("requires the metrics token, if there is one, also from this machine", async () => {
    const guarded = await startProduct({
      nodeAdapterOnly: true,
      env: { PATCHBAY_METRICS_TOKEN: "numbers-for-us" },
    });
    try {
      for (const authorization of [undefined, "Bearer numbers-for-u", "Basic numbers-for-us", "Bearer"]) {
        const reply = await read(guarded.url, authorization ? { authorization } : {});
        expect(reply.status, authorization).toBe(401);
        expect(reply.headers["www-authenticate"]).toBe("Bearer");
      }
      const reply = await read(guarded.url, { authorization: "bearer numbers-for-us", via: "1.1 proxy" });
      expect(reply.status).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});

test("nginx as the guide configures it lets the console encode a recording of six minutes", async () => {
  const nginx = await startNginx([Number(new URL(product.url).port)]);
  try {
    const reply = await fetch(`${nginx.url}/api/recordings/encode?format=opus`, {
      method: "POST",
      headers: { "content-type": "audio/pcm", cookie },
      // More than the 16 MiB of the longest body of an API call.
      body: new Uint8Array(6 * 60 * 48_000),
    });
    const bytes = (await reply.arrayBuffer()).byteLength;
    expect([reply.status, bytes > 10_000]).toEqual([200, true]);
  } finally {
    await nginx.close();
  }
});

test("the keep-alive timeout exceeds Caddy's 120 s and is the one that the guide states", async () => {
  const reply = await sendRaw(product.url, {
    method: "GET",
    path: "/api/health/live",
    headers: { connection: "keep-alive" },
  });
  const seconds = Number(/timeout=(\d+)/.exec(String(reply.headers["keep-alive"]))?.[1]);
  expect(seconds).toBeGreaterThan(120);
  expect((await readGuide("en", "proxy")).text).toContain(`the ${seconds} s of Patchbay`);
  expect((await readGuide("zh", "proxy")).text).toContain(`Patchbay 的 ${seconds} 秒`);
});

test("Caddy as the guide configures it ends the call of a caller who leaves before the reply", async () => {
  const routed = await startRouted({ env: { PATCHBAY_TRUSTED_PROXIES: "127.0.0.1" } });
  const caddy = await startCaddy(routed.product.port);
  try {
    const { name } = await routed.route("embeddings", [{ as: "embed.8--black-hole" }]);
    const leaving = new AbortController();
    const body = { model: name, input: "a" };
    const sent = sendOver(caddy.url, "/v1/embeddings", body, routed.key, { signal: leaving.signal });
    const over = sent.catch(() => null);
    await until(() => routed.upstream.inFlight() > 0);
    leaving.abort();
    await over;
    const rows = await routed.whenRows(name, 1);
    expect(rows.map((row) => [row.status, row.error])).toEqual([[499, "caller_left"]]);
  } finally {
    await caddy.close();
    await routed.close();
  }
});

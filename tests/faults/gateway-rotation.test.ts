import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import Database from "libsql";
import { afterAll, expect, test } from "vitest";
import { createCipher, encryptionKeyId } from "../../lib/store/cipher";
import { OWNER, startProduct } from "../support/product";
import { type RoutedProduct, startRouted } from "../support/routed-product";
import { ROOT } from "../support/sources";
import { totpCode } from "../support/totp";

/**
 * The secret is rotated under load, and the rotation is killed while it runs: no request fails, and no row stays under
 * the old secret.
 */

let routed: RoutedProduct;
afterAll(() => routed?.close());

const CHANNELS = 120;
const secret = () => randomBytes(36).toString("base64");

/** The encrypted texts of every kind in the store. */
function encryptedTexts(dataDirectory: string): string[] {
  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  const all = (query: string) => database.prepare(query).all() as Record<string, string>[];
  const keys = all("select keys from channels").flatMap((row) =>
    (JSON.parse(row.keys ?? "[]") as { sealed: string }[]).map((key) => key.sealed),
  );
  const factors = all("select secret_sealed from two_factors").map((row) => row.secret_sealed ?? "");
  const settings = all("select value from settings")
    .map((row) => JSON.parse(row.value ?? "null") as unknown)
    .filter((value) => typeof value === "string");
  database.close();
  return [...keys, ...factors, ...settings].filter((text) => encryptionKeyId(text) !== null);
}

test("rotating the secret under load, killed three times, fails no request and leaves nothing under the old secret", async () => {
  const old = secret();
  const fresh = secret();
  routed = await startRouted({ env: { PATCHBAY_SECRET: old } });
  const { dataDirectory, port } = routed.product;
  const { name } = await routed.route("embeddings", [{ as: "embed.8" }, { as: "embed.8" }]);
  for (let i = 0; i < CHANNELS; i += 1) {
    await routed.console("/api/channels", {
      name: `channel ${i}`,
      provider: "openai",
      base_url: `${routed.upstream.origin}/v1`,
      keys: [`sk-first-${i}-0123456789`, `sk-second-${i}-0123456789`],
      models: [],
    });
  }
  const enrolment = await routed.console("/api/user/2fa/setup", {});
  await routed.console("/api/user/2fa/enable", { code: totpCode(enrolment.secret, Date.now()) });

  // The documented procedure: restart with both secrets, then rotate while serving.
  await routed.product.kill();
  const both = {
    PATCHBAY_SECRET: fresh,
    PATCHBAY_SECRET_PREVIOUS: old,
    PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1",
  };
  const server = await startProduct({ dataDirectory, port, nodeAdapterOnly: true, env: both });
  const isCurrent = (text: string) => createCipher({ current: fresh, previous: [] }).isCurrent(text);
  const statuses = new Map<number, number>();
  let isOver = false;
  const callers = Array.from({ length: 6 }, async (_, caller) => {
    for (let i = 0; !isOver; i += 1) {
      const { status } = await routed.send("/v1/embeddings", { model: name, input: `text ${caller} ${i}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const rotate = () => {
    const child = spawn(process.execPath, [path.join(ROOT, ".next/patchbay/admin.mjs"), "rotate-secret"], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, NODE_ENV: "production", PATCHBAY_DATA_DIR: dataDirectory, ...both },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const over = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    return { child, over, stderr: () => stderr };
  };
  const left = () => encryptedTexts(dataDirectory).filter((text) => !isCurrent(text)).length;
  const total = left();
  expect(total).toBeGreaterThan(CHANNELS * 2);
  const cutAt: number[] = [];
  for (const share of [0.8, 0.5, 0.2]) {
    const run = rotate();
    const over = run.over.then(() => true);
    while (
      left() > total * share &&
      !(await Promise.race([over, new Promise((r) => setTimeout(r, 2, false))]))
    );
    run.child.kill("SIGKILL");
    await run.over;
    cutAt.push(left());
  }
  const last = rotate();
  expect(await last.over, last.stderr()).toBe(0);
  isOver = true;
  await Promise.all(callers);
  console.log(
    `${total} encrypted texts, ${cutAt.join(", ")} left when killed, ${left()} at the end; ${JSON.stringify([...statuses])}`,
  );
  expect(cutAt[0]).toBeLessThan(total);
  expect(cutAt.some((count) => count > 0)).toBe(true);
  expect(left()).toBe(0);
  expect([...statuses.keys()]).toEqual([200]);

  // Everything works without the old secret: the channel's keys, two-factor sign-in.
  expect(await server.close()).toBe(0);
  const alone = await startProduct({
    dataDirectory,
    port,
    nodeAdapterOnly: true,
    env: { PATCHBAY_SECRET: fresh, PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" },
  });
  try {
    expect((await routed.send("/v1/embeddings", { model: name, input: "after" })).status).toBe(200);
    expect(routed.upstream.ledger.at(-1)?.headers.authorization).toBe("Bearer sk-upstream-0123456789abcdef");
    const headers = { "content-type": "application/json" };
    const begun = await fetch(`${alone.url}/api/user/login`, {
      method: "POST",
      headers,
      body: JSON.stringify(OWNER),
    });
    const { data } = (await begun.json()) as { data: { flow_token: string } };
    const code = totpCode(enrolment.secret, Date.now() + 30_000);
    const done = await fetch(`${alone.url}/api/user/login/2fa`, {
      method: "POST",
      headers,
      body: JSON.stringify({ code, flow_token: data.flow_token }),
    });
    expect(done.status, await done.text()).toBe(200);
  } finally {
    await alone.close();
  }
}, 120_000);

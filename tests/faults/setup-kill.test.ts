import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { OWNER, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";

/** Number of kills; `npm run test:soak` sets more. */
const ROUNDS = Number(process.env.PATCHBAY_TEST_SETUP_KILLS ?? 12);
/** The kills are spread from the start of the request over this many times the duration of a complete setup. */
const SPREAD = 1.2;

const isSetUp = async (url: string): Promise<boolean> => {
  const reply = await sendRaw(url, { method: "GET", path: "/api/setup" });
  expect(reply.status).toBe(200);
  // The console's envelope.
  return (reply.json as { data: { status: boolean } }).data.status;
};

const login = (url: string) =>
  sendRaw(url, {
    path: "/api/user/login",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(OWNER),
  });

test(`a server killed during setup is afterwards without an owner or fully set up, ${ROUNDS} times`, {
  timeout: ROUNDS * 25_000,
}, async () => {
  const seen = { untouched: 0, setUp: 0 };
  let setupMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-setup-kill-"));
    const victim = await startProduct({ dataDirectory, nodeAdapterOnly: true });
    const from = performance.now();
    const asked = setUp(victim.url).then(
      () => true,
      () => false,
    );
    // The first kill follows the reply, which measures this machine.
    if (round === 0) await asked;
    else await delay((SPREAD * setupMs * (round - 1)) / (ROUNDS - 2));
    if (round === 0) setupMs = performance.now() - from;
    await victim.kill();
    const wasAnswered = await asked;

    const survivor = await startProduct({ dataDirectory, nodeAdapterOnly: true });
    const isDone = await isSetUp(survivor.url);
    // An acknowledged setup must have been stored.
    if (wasAnswered) expect(isDone).toBe(true);
    if (!isDone) await setUp(survivor.url);
    await expect(setUp(survivor.url)).rejects.toThrow("409");
    expect((await login(survivor.url)).status).toBe(200);
    seen[isDone ? "setUp" : "untouched"] += 1;
    expect(await survivor.close()).toBe(0);
    rmSync(dataDirectory, { recursive: true, force: true });
  }
  console.log(`${ROUNDS} kills: ${seen.untouched} found untouched, ${seen.setUp} fully set up`);
  expect(seen.untouched).toBeGreaterThan(0);
  expect(seen.setUp).toBeGreaterThan(0);
});

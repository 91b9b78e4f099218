import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContainer } from "../../../lib/server/process/container";
import { readEnvironment } from "../../../lib/server/process/env";
import { insertKey } from "../../support/factories";

test("writes when keys were last used before it closes the store", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-container-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const env = readEnvironment({ PATCHBAY_DATA_DIR: directory, PATCHBAY_LOG_LEVEL: "silent" });
  const first = await createContainer(env);
  const { key } = await insertKey(first.services.store);
  const before = Date.now();
  first.services.state.apiKeyCache.touch(key.id);
  await first.close();
  const second = await createContainer(env);
  onTestFinished(() => second.close());
  const stored = await second.services.store.keys.findById(key.id);
  expect(stored?.lastUsedAt).toBeGreaterThanOrEqual(before);
});

test("knows the folder of a database file outside the data directory", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-container-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const container = await createContainer(
    readEnvironment({
      PATCHBAY_DATA_DIR: path.join(directory, "data"),
      DATABASE_URL: `file:${directory}/store/main.db`,
      PATCHBAY_LOG_LEVEL: "silent",
    }),
  );
  onTestFinished(() => container.close());
  expect(container.services.instance.storeDirectory).toBe(path.join(directory, "store"));
});

test("removes the folder of a backup that a killed process has left", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-container-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const left = path.join(directory, "backup-a1B2c3");
  mkdirSync(left);
  utimesSync(left, 1, 1);
  const container = await createContainer(
    readEnvironment({ PATCHBAY_DATA_DIR: directory, PATCHBAY_LOG_LEVEL: "silent" }),
  );
  onTestFinished(() => container.close());
  expect(existsSync(left)).toBe(false);
});

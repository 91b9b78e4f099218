import { expect, test, vi } from "vitest";
import { ApiKeyCache } from "@/lib/gateway/admission/api-key-cache";
import type { KeyWithOwner, Store } from "@/lib/ports/store";
import { keyRecord, SYSTEM_CLOCK, userRecord } from "../../support/factories";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const owner = userRecord();
const KNOWN: KeyWithOwner = { key: keyRecord(owner.id), owner };

test.each([
  ["known", KNOWN],
  ["unknown", null],
])("caches the 10,000 last used %s keys", async (_name, stored) => {
  const findByDigest = vi.fn(async () => stored);
  const store = { keys: { findByDigest }, onChange: () => undefined } as unknown as Store;
  const cache = new ApiKeyCache(store, SYSTEM_CLOCK, log);
  const digests = Array.from({ length: 10_001 }, (_, at) => `digest ${at}`);
  for (const digest of digests) await cache.find(digest);
  await cache.find("digest 10000");
  expect(findByDigest).toHaveBeenCalledTimes(10_001);
  await cache.find("digest 0");
  expect(findByDigest).toHaveBeenCalledTimes(10_002);
});

test("a session that ends drops the playground keys from memory, and no others", async () => {
  const playground: KeyWithOwner = { key: keyRecord(owner.id, { sessionId: "ses_1" }), owner };
  const findByDigest = vi.fn(async (digest: string) => (digest === "playground" ? playground : KNOWN));
  const listeners: Parameters<Store["onChange"]>[0][] = [];
  const onChange: Store["onChange"] = (listener) => {
    listeners.push(listener);
    return () => undefined;
  };
  const cache = new ApiKeyCache({ keys: { findByDigest }, onChange } as unknown as Store, SYSTEM_CLOCK, log);
  for (const digest of ["playground", "other"]) await cache.find(digest);
  for (const listener of listeners) listener(new Set(["sessions"]));
  for (const digest of ["playground", "other"]) await cache.find(digest);
  expect(findByDigest.mock.calls.map(([digest]) => digest)).toEqual(["playground", "other", "playground"]);
});

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

import { afterAll, vi } from "vitest";

/** Runs after each test file: the next file can run in the same process. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

import { afterAll, vi } from "vitest";

/** After each test file: the next one may run in the same process. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

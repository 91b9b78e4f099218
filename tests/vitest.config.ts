import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Tests of CPU time and of steps of the event loop: other tests of the same process would disturb them. */
const MEASURING = [
  "tests/unit/text/{scaling,tokenize}.test.ts",
  "tests/unit/house/regex-cost.test.ts",
  "tests/unit/http/{content-type,read-json}.test.ts",
  "tests/unit/lexical/embed-text.test.ts",
  "tests/unit/providers/upstream-events.test.ts",
];

/** Files of 10 to 40 seconds each, together a quarter of the unit tests; `npm run verify` leaves them to `npm test`. */
const SLOW = [
  "tests/routes/{openapi,recordings}.test.ts",
  "tests/unit/admin/{accounts,restore,store}.test.ts",
  "tests/unit/embedded-speech/{languages,voices}.test.ts",
  "tests/unit/semantic/semantic-model.test.ts",
  "tests/unit/text/scaling.test.ts",
];
/** Files of 20 seconds to two minutes, mostly spent waiting. They run first, so that no run ends waiting for one. */
const LONGEST =
  /\/faults\/(balanced-instances|cluster|gateway-failover|idle-memory|kill|setup-kill|store-start|upgrade)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Measure live memory or latencies: `npm test` runs them one at a time, with nothing beside them. */
const ALONE = ["tests/faults/slow-readers.test.ts", "tests/faults/concurrency.test.ts"];
const omitted = process.env.PATCHBAY_TEST_FAST ? SLOW : [];

export default defineConfig({
  root,
  resolve: { alias: { "@": root.replace(/\/$/, "") } },
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine delays timers; what passes only at the second run is listed at the end of `npm test`.
    retry: 1,
    restoreMocks: true,
    // `expect.poll` waits for a state, not for a time: one second is too short for 300 connections on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    // Compiled modules of an earlier run: a quarter of the CPU of a short run.
    experimental: { fsModuleCache: true, fsModuleCachePath: "node_modules/.cache/patchbay/vitest" },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["tests/{unit,routes}/**/*.test.ts"],
          exclude: [...MEASURING, ...omitted],
          // One process for many files: importing the product's modules for each took a fifth of the time.
          isolate: false,
          setupFiles: ["tests/support/restore-globals.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "own",
          include: ["tests/{contracts,faults,sdk}/**/*.test.ts", ...MEASURING],
          exclude: [...omitted, ...ALONE],
        },
      },
      { extends: true, test: { name: "alone", include: ALONE } },
      // `npm run test:voices`: a real model, which takes minutes.
      ...(process.env.PATCHBAY_TEST_VOICES === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "voices",
                include: ["tests/voices/**/*.test.ts"],
                testTimeout: 300_000,
                retry: 0,
              },
            },
          ]),
    ],
  },
});

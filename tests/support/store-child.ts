/**
 * A process that works on a store and can be killed at any moment. It prints `ready`, waits for a line on its input,
 * opens the store and runs its task. Arguments: task, database URL, store worker bundle, instance ID.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Store, UsageRecord } from "../../lib/ports/store";
import { openStore } from "../../lib/store/open";
import { SYSTEM_CLOCK } from "./factories";

const [task = "", databaseUrl = "", storeWorker = "", instanceId = ""] = process.argv.slice(2);
const CALLERS = 24;
const BUDGET = { totalNano: null, dailyNano: null, monthlyNano: null };
const PERIOD = { day: "2026-09-21", month: "2026-09" };

/** Writes synchronously, not through a stream: lines printed before a kill must not be lost. */
const print = (line: string): void => void writeSync(1, `${line}\n`);

function call(caller: number): UsageRecord {
  const id = randomUUID();
  return {
    id: `use_${id}`,
    requestId: `req_${id}`,
    at: Date.now(),
    keyId: `key_${caller % 3}`,
    userId: "usr_1",
    model: "patchbay-embed",
    channelId: null,
    operation: "embeddings",
    attempts: 1,
    inputTokens: 7,
    outputTokens: 0,
    characters: 21,
    audioMs: 0,
    costNano: 0,
    reservedNano: 10,
    status: 200,
    error: null,
    state: "settled",
    cached: false,
    estimated: false,
    overrun: false,
    endUser: null,
    tags: null,
    latencyMs: 3,
    firstByteMs: null,
  };
}

/** Reserves and settles calls endlessly, and prints the ID of each call whose settlement was acknowledged. */
async function recordCalls(store: Store): Promise<never> {
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let count = 0; ; count++) {
      const row = call(caller);
      // Every fourth call is recorded without a reservation.
      if (count % 4 !== 0) {
        await store.ledger.reserve({ row, keyBudget: BUDGET, userBudget: BUDGET, ...PERIOD });
      }
      await store.ledger.settle({ ...row, costNano: 4 + (count % 9) }, PERIOD);
      print(row.id);
    }
  });
  await Promise.all(callers);
  throw new Error("the callers never end");
}

print("ready");
await once(process.stdin, "data");
// Root can write every file; for another user, the file mode applies.
if (task === "open-unprivileged") {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
try {
  const store = await openStore({
    databaseUrl,
    storeWorker: pathToFileURL(storeWorker),
    instanceId,
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
  });
  print("open");
  if (task === "record-calls") await recordCalls(store);
  await store.close();
  process.exit(0);
} catch (error) {
  print(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

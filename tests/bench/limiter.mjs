/**
 * `npm run bench limiter`: the limits of 1, 3, 10 and 50 instances in a real Redis, started here. Each instance is the
 * product's own limiter with its own connections; a request takes its key's requests and tokens per minute and a slot
 * in one script, and releases the slot. Redis runs on core 1 and the instances, in this process, on core 0, where
 * `taskset` exists: the highest rate of Redis follows from its CPU per request, because this process saturates first.
 */
import { execFileSync } from "node:child_process";
import { importTypeScript } from "./bundle.mjs";
import { cpuSeconds } from "./load.mjs";

const INSTANCES = [1, 3, 10, 50];
/** Requests in flight over all instances. */
const CALLERS = 64;
const PACED_PER_SECOND = 1_000;
const SECONDS = 4;
const WARM_SECONDS = 1;
const KEYS = 500;
const USERS = 100;
const WINDOW_MS = 60_000;
/** A request waits this long for Redis, then takes its instance's share of the limit. */
const ANSWER_MS = 4;
/** The benchmark waits longer, so that every request is measured. */
const LONG_ANSWER_MS = 10_000;

function pin(core, pid) {
  try {
    execFileSync("taskset", ["-acp", core, String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let count = 0;

/** One request: its limits, and the release of its slot. Returns the milliseconds of the wait for Redis. */
async function request({ limits }) {
  count += 1;
  const key = count % KEYS;
  const startedAt = performance.now();
  const entry = await limits.enter({
    owner: `usr_${key % USERS}`,
    slots: [{ bucket: `key_${key}`, limit: 1_000 }],
    rates: [
      { bucket: `rpm:key_${key}`, limit: 1_000_000, cost: 1 },
      { bucket: `tpm:key_${key}`, limit: 1_000_000_000, cost: 100 },
    ],
    windowMs: WINDOW_MS,
  });
  const ms = performance.now() - startedAt;
  if (entry.kind !== "entered") throw new Error(`a request was ${entry.kind}`);
  entry.leave();
  return ms;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** As fast as possible, with `CALLERS` requests in flight. */
async function unpaced(instances, seconds) {
  const times = [];
  const stopAt = performance.now() + seconds * 1_000;
  const caller = async (_, index) => {
    while (performance.now() < stopAt) times.push(await request(instances[index % instances.length]));
  };
  await Promise.all(Array.from({ length: Math.max(CALLERS, instances.length) }, caller));
  return times;
}

/** `PACED_PER_SECOND` requests, evenly over the instances and the time. */
async function paced(instances, seconds) {
  const times = [];
  const running = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < PACED_PER_SECOND * seconds; ) {
    const due = ((performance.now() - startedAt) / 1_000) * PACED_PER_SECOND;
    for (; sent < due; sent++)
      running.push(request(instances[sent % instances.length]).then((ms) => times.push(ms)));
    await pause(1);
  }
  await Promise.all(running);
  return times;
}

/** Requests per second, Redis' CPU per request in µs, percentiles and the share above the limit. */
async function measure(work, instances, pid) {
  const startedAt = performance.now();
  const cpuBefore = cpuSeconds(pid);
  const times = await work(instances, SECONDS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = cpuSeconds(pid) - cpuBefore;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    redisMicros: (cpu / times.length) * 1e6,
    p50: times[Math.floor(times.length * 0.5)],
    p99: times[Math.floor(times.length * 0.99)],
    lateShare: times.filter((ms) => ms > ANSWER_MS).length / times.length,
  };
}

function show(name, { perSecond, redisMicros, p50, p99, lateShare }) {
  const cells = [
    perSecond.toFixed(0),
    redisMicros.toFixed(1),
    (1e6 / redisMicros).toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    `${(lateShare * 100).toFixed(2)} %`,
  ];
  console.log(`${name.padEnd(26)}${cells.map((cell) => cell.padStart(14)).join("")}`);
}

export async function benchLimiter() {
  const { startRedis, openRedisInstance } = await importTypeScript("limiter", [
    'export { startRedis } from "./tests/support/redis";',
    'export { openRedisInstance } from "./tests/support/shared-limits";',
  ]);
  const redis = await startRedis();
  const info = String(await redis.command("INFO", "server"));
  const pid = Number(/process_id:(\d+)/.exec(info)?.[1]);
  const isPinned = pin("1", pid) && pin("0", process.pid);
  console.log(`\nLimits in Redis${isPinned ? "" : " (not pinned to cores)"}`);
  const heads = ["requests/s", "Redis µs/req", "max req/s", "p50 ms", "p99 ms", `above ${ANSWER_MS} ms`];
  console.log(`${"".padEnd(26)}${heads.map((head) => head.padStart(14)).join("")}`);
  for (const total of INSTANCES) {
    const open = (_, index) =>
      openRedisInstance({
        url: redis.url,
        name: `instance-${index}`,
        liveInstances: total,
        answerMs: LONG_ANSWER_MS,
      });
    const instances = await Promise.all(Array.from({ length: total }, open));
    while (!instances.every(({ link }) => link.isUp)) await pause(10);
    await unpaced(instances, WARM_SECONDS);
    const name = `${total} instance${total === 1 ? "" : "s"}`;
    show(`${name}, paced`, await measure(paced, instances, pid));
    show(`${name}, unpaced`, await measure(unpaced, instances, pid));
    const fellBack = instances.filter(({ counted }) => counted.has("redis_fallbacks")).length;
    if (fellBack > 0) console.log(`not valid: ${fellBack} instances lost Redis for a while`);
    for (const instance of instances) instance.close();
  }
  await redis.close();
}

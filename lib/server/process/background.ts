import { statfs } from "node:fs/promises";
import { watchAlerts } from "../../console/alerts/watch";
import { sweepExpired } from "../../console/auth/sweep-expired";
import type { ConsoleServices } from "../../console/context";
import { DEAD_AFTER_MS } from "../../console/instances/list";
import { sweepUsage } from "../../console/usage/sweep";
import { refreshVoices } from "../../console/voices/refresh";
import { describeInstance, isGone } from "./instance-id";
import type { InstanceRegister } from "./register";
import { removeLeftFiles } from "./temporary-files";

const HEARTBEAT_MS = 5_000;
const ORPHANS_MS = 15_000;
const ALERTS_MS = 15_000;
const VOICES_MS = 15_000;
const SWEEP_MS = 300_000;
const RETENTION_MS = 600_000;
/** Two heartbeat intervals and a margin: a longer time without a heartbeat is a gap. */
const BEAT_GAP_MS = 12_000;
/** A time before every heartbeat: includes all instances, and makes none count as dead by the age of its heartbeat. */
const NO_AGE = 0;
/** A wall clock that moves this much against the monotonic clock was set, not slewed. */
const CLOCK_JUMP_MS = 30_000;

/**
 * Detects other servers on the same SQLite file. Each call of the returned function returns the IDs of the running
 * ones. A server counts as running once its heartbeat has changed between two calls, so the row of a crashed server and
 * the single heartbeat of an admin command are ignored. Each server is logged once. `server`: ID of our own server.
 */
export function watchOtherServers({
  store,
  clock,
  log,
  server,
}: Pick<ConsoleServices, "store" | "clock" | "log"> & { server: string }): () => Promise<string[]> {
  let firstSeen = new Map<string, number>();
  const logged = new Set<string>();
  return async () => {
    // On PostgreSQL, several servers are supported.
    if (store.kind !== "sqlite") return [];
    const known = await store.ledger.instances(clock.now() - DEAD_AFTER_MS);
    // The processes of one server may share a file: each applies its share of the limits.
    const others = known.filter(({ isSelf, report }) => !isSelf && report?.server !== server);
    firstSeen = new Map(others.map(({ id, heartbeatAt }) => [id, firstSeen.get(id) ?? heartbeatAt]));
    const running = others
      .filter(({ id, heartbeatAt }) => heartbeatAt !== (firstSeen.get(id) ?? heartbeatAt) && !isGone(id))
      .map(({ id }) => id);
    for (const id of running.filter((one) => !logged.has(one))) {
      logged.add(id);
      log.warn("second_server", {
        instance: id,
        reason: `${describeInstance(id)} serves the same SQLite file: rate limits, circuits and caches are separate in each server; stop one, or use PostgreSQL`,
      });
    }
    return running;
  };
}

/** Free and total space of the filesystem of `directory`; null when unknown. */
async function readDisk(directory: string): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bsize, bavail, blocks } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

interface OwnBeats {
  beat(): Promise<void>;
  /** True when this process has written its heartbeats for `DEAD_AFTER_MS` without a gap. */
  isSteady(): boolean;
}

/**
 * Tracks whether this process has written its heartbeats without a gap. While the store accepts no writes, the
 * heartbeats of live instances grow old as well; they also look old after the wall clock was set ahead or the machine
 * was suspended. An old heartbeat therefore shows that its instance has died only if this process wrote its own all the
 * time.
 */
function watchOwnBeats(clock: ConsoleServices["clock"], beat: () => Promise<void>): OwnBeats {
  let steadySince = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const follows = (now: number): boolean => now >= last && now - last <= BEAT_GAP_MS;
  return {
    async beat() {
      await beat();
      const now = clock.now();
      if (!follows(now)) steadySince = now;
      last = now;
    },
    isSteady() {
      const now = clock.now();
      return follows(now) && now - steadySince >= DEAD_AFTER_MS;
    },
  };
}

/**
 * Returns a task that settles the calls of dead instances: those of ended processes of this machine at once, those of
 * other instances when their heartbeat has not changed for `DEAD_AFTER_MS` while this process was steady. A heartbeat
 * is compared with its value in earlier sweeps, not with our clock: two servers' clocks may differ by more than that.
 */
function createOrphanSweep({ store, clock, log }: ConsoleServices): (isSteady: boolean) => Promise<void> {
  let seen = new Map<string, { heartbeatAt: number; since: number }>();
  return async (isSteady) => {
    const asked = clock.monotonic();
    const known = await store.ledger.instances(NO_AGE);
    // The reply of a slow query may contain heartbeats that were written after the query began.
    const answered = clock.monotonic();
    seen = new Map(
      known.map(({ id, heartbeatAt }) => {
        const before = seen.get(id);
        return [id, before?.heartbeatAt === heartbeatAt ? before : { heartbeatAt, since: answered }];
      }),
    );
    const isSilent = (id: string) => asked - (seen.get(id)?.since ?? asked) >= DEAD_AFTER_MS;
    const isDead = (id: string) => isGone(id) || (isSteady && isSilent(id));
    const count = await store.ledger.settleOrphans(NO_AGE, isDead);
    if (count > 0) log.warn("orphans_settled", { count });
  };
}

function createClockWatch({ store, clock, log }: ConsoleServices): () => Promise<void> {
  let offset = clock.now() - clock.monotonic();
  /** Jumps that are not in the audit log yet: the store was unavailable. */
  const unrecorded: { at: number; ms: number }[] = [];
  return async () => {
    const current = clock.now() - clock.monotonic();
    const ms = Math.round(current - offset);
    offset = current;
    if (Math.abs(ms) > CLOCK_JUMP_MS) {
      log.warn("clock_jumped", { ms });
      unrecorded.push({ at: clock.now(), ms });
    }
    for (let next = unrecorded[0]; next !== undefined; next = unrecorded[0]) {
      const entry = { actor: "system", action: "clock.jump", target: "" } as const;
      const { at, ms: milliseconds } = next;
      await store.transaction((tx) => tx.audit.append({ ...entry, at, detail: { milliseconds } }));
      unrecorded.shift();
    }
  };
}

/** Checks the alert conditions; disk space only for a store in a local file. `others`: other servers on that file. */
async function checkAlerts(services: ConsoleServices, others: readonly string[]): Promise<void> {
  const { storeDirectory } = services.instance;
  const disk = storeDirectory === undefined ? null : await readDisk(storeDirectory);
  await watchAlerts(services, disk, others.length === 0 ? [] : [services.instance.id, ...others]);
}

/** Settles calls left open by an earlier process, then runs periodic tasks until the returned function is called. */
export async function startBackground(
  services: ConsoleServices,
  register: Pick<InstanceRegister, "beat" | "server">,
): Promise<() => void> {
  const { log } = services;
  const every = (ms: number, name: string, work: () => Promise<unknown>): NodeJS.Timeout => {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      work()
        .catch((error: unknown) => log.warn("background_failed", { reason: name, cause: String(error) }))
        .finally(() => {
          isRunning = false;
        });
    }, ms);
    return timer.unref();
  };
  const beats = watchOwnBeats(services.clock, register.beat);
  await beats.beat();
  const settleOrphans = createOrphanSweep(services);
  await settleOrphans(false);
  const removeFiles = () => removeLeftFiles(services.instance.dataDirectory, services.clock.now());
  await removeFiles();
  const watchClock = createClockWatch(services);
  const findOthers = watchOtherServers({ ...services, server: register.server });
  let others = await findOthers();
  const findOtherServers = async (): Promise<void> => {
    others = await findOthers();
  };
  const timers = [
    every(HEARTBEAT_MS, "heartbeat", beats.beat),
    every(HEARTBEAT_MS, "clock", watchClock),
    every(HEARTBEAT_MS, "others", findOtherServers),
    every(ORPHANS_MS, "orphans", () => settleOrphans(beats.isSteady())),
    every(ALERTS_MS, "alerts", () => checkAlerts(services, others)),
    every(VOICES_MS, "voices", () => refreshVoices(services)),
    every(SWEEP_MS, "sweep", () => sweepExpired(services)),
    every(SWEEP_MS, "files", removeFiles),
    every(RETENTION_MS, "retention", () => sweepUsage(services)),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

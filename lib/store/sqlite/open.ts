import { closeSync, openSync, rmSync } from "node:fs";
import { Kysely } from "kysely";
import { AppError } from "../../errors";
import type { Store } from "../../ports/store";
import { assembleStore } from "../assemble";
import { ChangeFeed } from "../changes";
import { isBusy, translated } from "../errors";
import type { CommitGroup } from "../ledger/operations";
import { fileOf, SILENT, type StoreLog, type StoreOptions } from "../options";
import type { Tables } from "../schema";
import { WriteQueue } from "../write-queue";
import { readDialect, retryWhileLocked, scanDialect, writeDialect } from "./dialect";
import { openForReading } from "./open-file";
import { WorkerClient } from "./worker-client";

const POLL_MS = 250;
const SCAN_IDLE_MS = 60_000;
const COPY_IDLE_MS = 1_000;

/**
 * Checks four times a second whether another connection has committed, and then notifies the feed's listeners. Returns
 * the function that ends the checks.
 */
function watchOthers(writer: WorkerClient, feed: ChangeFeed, log: StoreLog): () => void {
  let last: number | null = null;
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const since = performance.now();
    try {
      const version = await writer.request({ kind: "version" });
      if (last !== null && version !== last) await feed.refresh();
      else feed.confirm(since);
      last = version;
    } catch (error) {
      // A new worker has another counter, so its first number always causes a read, which finds missed changes.
      last = -1;
      log.warn("store_watch_failed", { cause: String(error) });
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void look(), POLL_MS);
  timer.unref();
  void look();
  return () => clearInterval(timer);
}

/**
 * Creates `target` (0600) and lets `copy` write a copy of the store to it. Throws AppError `conflict` when the file
 * exists, `invalid` when it cannot be created.
 */
export async function writeCopy(target: string, copy: (target: string) => Promise<unknown>): Promise<void> {
  try {
    // VACUUM INTO accepts an empty file, which gives the copy its mode from the start.
    closeSync(openSync(target, "wx", 0o600));
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new AppError(
      exists ? "conflict" : "invalid",
      exists ? "A file already exists at the backup's path." : "The backup's path cannot be written.",
      {},
      cause,
    );
  }
  try {
    await copy(target);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

/** Opens a SQLite file: short reads on this thread, long reads and all writes on worker threads. */
export async function openSqliteStore(options: StoreOptions): Promise<Store> {
  const log = options.log ?? SILENT;
  const file = fileOf(options.databaseUrl);
  const worker = { url: options.storeWorker, file, log };
  const writer = new WorkerClient({ ...worker, mode: "write", idleMs: null });
  try {
    await writer.prepare();
  } catch (error) {
    await writer.close();
    throw error;
  }
  const scan = new WorkerClient({ ...worker, mode: "scan", idleMs: SCAN_IDLE_MS });
  // Separate, because the sums of a million calls may take seconds, and `scan` must read lists meanwhile.
  const sums = new WorkerClient({ ...worker, mode: "scan", idleMs: SCAN_IDLE_MS });
  // Separate, because a copy may take minutes, and `scan` must read for heartbeats and pages meanwhile.
  const copier = new WorkerClient({ ...worker, mode: "scan", idleMs: COPY_IDLE_MS });
  const reader = openForReading(file);
  const turns = new WriteQueue();
  const read = new Kysely<Tables>({ dialect: readDialect(reader) });
  const write = new Kysely<Tables>({ dialect: writeDialect(writer, turns) });
  const feed = new ChangeFeed(read, log);
  const unwatch = watchOthers(writer, feed, log);

  const commitGroup: CommitGroup = async (operations) => {
    // Goes before other writes, because replies wait for it. There is one group at a time, as `isFirst` requires.
    const end = await turns.take(true);
    try {
      return await writer.request({ kind: "group", operations: JSON.stringify(operations) });
    } catch (error) {
      // The group commit handles a busy lock itself, with each caller's time limit.
      throw isBusy(error) ? error : translated(error);
    } finally {
      end();
    }
  };

  return assembleStore(
    {
      kind: "sqlite",
      connections: {
        read,
        scan: new Kysely<Tables>({ dialect: scanDialect(scan) }),
        sums: new Kysely<Tables>({ dialect: scanDialect(sums) }),
        writeTransaction: (work) => write.transaction().execute(work),
        writeOne: (work) => work(write),
      },
      feed,
      commitGroup,
      broadcast: null,
      maintainLedger: () => Promise.resolve(),
      async ping() {
        await read.selectFrom("revisions").select("revision").limit(1).execute();
      },
      backup: (target) =>
        writeCopy(target, () => retryWhileLocked(() => copier.request({ kind: "copy", target }))),
      async close() {
        unwatch();
        await Promise.all([scan.close(), sums.close(), copier.close()]);
        reader.close();
        await writer.close();
      },
    },
    options,
  );
}

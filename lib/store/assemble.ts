import { billingPeriod } from "../ports/billing-period";
import type { Store } from "../ports/store";
import { type AuditKey, EMPTY_CHAIN } from "./audit-chain";
import type { ChangeFeed } from "./changes";
import { GroupCommit } from "./ledger/group-commit";
import { createLedger } from "./ledger/ledger";
import type { CommitGroup } from "./ledger/operations";
import { SILENT, type StoreOptions } from "./options";
import { repositoriesOn } from "./repositories";
import { type Connections, inTransaction, rootScope } from "./transactions";

/** What a database implementation provides to the store. */
interface Engine {
  kind: Store["kind"];
  connections: Connections;
  feed: ChangeFeed;
  commitGroup: CommitGroup;
  broadcast: Store["broadcast"];
  maintainLedger: Store["ledger"]["maintain"];
  ping(): Promise<void>;
  backup(path: string): Promise<void>;
  /** Ends timers, threads and connections. The ledger is closed before. */
  close(): Promise<void>;
}

/** Builds the store on an engine and writes this instance's first heartbeat. */
export async function assembleStore(engine: Engine, options: StoreOptions): Promise<Store> {
  const { connections, feed } = engine;
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const periodsAt = (now: number) => billingPeriod(timeZone, now);
  const scope = rootScope(connections, feed);
  const commits = new GroupCommit(engine.commitGroup, options.clock, options.log ?? SILENT);
  const ledger = createLedger(scope, commits, options.instanceId, engine.maintainLedger);
  try {
    await feed.refresh();
    // Before the first entry is opened: other instances settle open entries of an instance without a heartbeat.
    await ledger.heartbeat(options.clock.now());
  } catch (error) {
    await engine.close();
    throw error;
  }
  const auditKey: AuditKey = { digest: null, seen: EMPTY_CHAIN };
  let closing: Promise<void> | null = null;
  return {
    kind: engine.kind,
    ...repositoriesOn(scope, periodsAt, auditKey),
    ledger,
    setAuditKey(digest) {
      auditKey.digest = digest;
    },
    transaction: (work) =>
      inTransaction(connections, feed, (inside) => work(repositoriesOn(inside, periodsAt, auditKey))),
    onChange: (listener) => feed.subscribe(listener),
    changeLagMs: () => feed.lagMs(),
    broadcast: engine.broadcast,
    ping: () => engine.ping(),
    backup: (path) => engine.backup(path),
    close() {
      closing ??= commits
        .close()
        // Without a heartbeat row, other instances settle this instance's open entries at once.
        .then(() => ledger.leave().catch(() => undefined))
        .then(() => engine.close());
      return closing;
    },
  };
}

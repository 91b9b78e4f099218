import { type Kysely, sql } from "kysely";
import type { Topic } from "../ports/store";
import type { StoreLog } from "./options";
import type { RevisionTable, Tables } from "./schema";

type Listener = (topics: ReadonlySet<Topic>) => void;

/** Raises the revision of each topic inside the transaction that touched it. */
export function raiseRevisions(db: Kysely<Tables>, topics: ReadonlySet<Topic>): Promise<RevisionTable[]> {
  return db
    .insertInto("revisions")
    .values([...topics].sort().map((topic) => ({ topic, revision: 1 })))
    .onConflict((conflict) =>
      conflict.column("topic").doUpdateSet({ revision: sql<number>`revisions.revision + 1` }),
    )
    .returningAll()
    .execute();
}

/**
 * Notifies listeners of the topics that a commit touched: at once for commits of this process, after reading the
 * revisions for others.
 */
export class ChangeFeed {
  readonly #read: Kysely<Tables>;
  readonly #log: StoreLog;
  readonly #known = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  /** When the view was last known to be complete. */
  #completeAt = performance.now();
  /** Time since which an announced change has not been read; null: there is none. */
  #announcedAt: number | null = null;
  #isAnnounced = false;

  constructor(read: Kysely<Tables>, log: StoreLog) {
    this.#read = read;
    this.#log = log;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Publishes the revisions of a commit of this process, except those that `refresh` has already published. */
  committed(rows: readonly RevisionTable[]): void {
    this.#notify(this.#newTopics(rows));
  }

  /** Reads the revisions and notifies listeners of those that are new. */
  async refresh(): Promise<void> {
    const since = performance.now();
    const rows = await this.#read.selectFrom("revisions").selectAll().execute();
    this.confirm(since);
    this.#notify(this.#newTopics(rows));
  }

  /**
   * Reads the revisions and notifies listeners of every topic: a standby that took over may lack the last commits of its
   * predecessor, and others may have raised its revisions since, so equal revisions do not mean equal rows.
   */
  async reread(): Promise<void> {
    const since = performance.now();
    const rows = await this.#read.selectFrom("revisions").selectAll().execute();
    this.confirm(since);
    const topics = [...this.#known.keys(), ...rows.map(({ topic }) => topic)];
    this.#known.clear();
    for (const { topic, revision } of rows) this.#known.set(topic, revision);
    this.#notify(topics);
  }

  /** Records that no change was missing at `since` (as `performance.now()`). */
  confirm(since: number): void {
    this.#completeAt = Math.max(this.#completeAt, since);
    if (this.#announcedAt !== null && this.#announcedAt <= since) this.#announcedAt = null;
  }

  /** Records an announced change that `refresh` has not read yet. */
  announce(): void {
    this.#announcedAt ??= performance.now();
  }

  /** Sets whether changes of other processes are announced from now on, or only found by reading. */
  setAnnounced(isAnnounced: boolean): void {
    this.#isAnnounced = isAnnounced;
  }

  /** See `Store.changeLagMs`. */
  lagMs(): number {
    const since = this.#isAnnounced ? this.#announcedAt : this.#completeAt;
    return since === null ? 0 : performance.now() - since;
  }

  /** Notes the revisions, and returns the topics of those that are new. */
  #newTopics(rows: readonly RevisionTable[]): string[] {
    const newer = rows.filter(({ topic, revision }) => revision > (this.#known.get(topic) ?? 0));
    for (const { topic, revision } of newer) this.#known.set(topic, revision);
    return newer.map(({ topic }) => topic);
  }

  #notify(names: readonly string[]): void {
    if (names.length === 0) return;
    // The column is written from a Topic only.
    const topics = new Set(names as readonly Topic[]);
    for (const listener of this.#listeners) {
      try {
        listener(topics);
      } catch (error) {
        this.#log.error("change_listener_failed", { cause: String(error) });
      }
    }
  }
}

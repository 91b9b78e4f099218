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

  /**
   * Publishes the revisions of a commit of this process. A revision below the known one shows that a failover of the
   * database has lost commits: listeners then get every known topic.
   */
  committed(rows: readonly RevisionTable[]): void {
    const wentBack = rows.some(({ topic, revision }) => revision < this.#knownOf(topic));
    const others = wentBack ? [...this.#known.keys()] : [];
    for (const { topic, revision } of rows) this.#known.set(topic, revision);
    this.#notify([...others, ...rows.map(({ topic }) => topic)]);
  }

  /**
   * Reads the revisions and notifies listeners of the topics with a new one. A revision that is lower than before shows
   * that the database has lost commits: listeners then get every topic, as with `reread`.
   */
  async refresh(): Promise<void> {
    const since = performance.now();
    // Compared with a copy: a commit of this process during the read raises `#known`, but may be missing from `rows`.
    const before = new Map(this.#known);
    const rows = await this.#read.selectFrom("revisions").selectAll().execute();
    this.confirm(since);
    const read = new Map(rows.map(({ topic, revision }) => [topic, revision]));
    const wentBack = [...before].some(([topic, revision]) => (read.get(topic) ?? 0) < revision);
    this.#notify(wentBack ? this.#replaceKnown(rows) : this.#newTopics(rows));
  }

  /**
   * Reads the revisions and notifies listeners of every topic: a standby that took over may lack the last commits of
   * its predecessor, and other processes may have raised its revisions since, so equal revisions do not mean equal
   * rows.
   */
  async reread(): Promise<void> {
    const since = performance.now();
    const rows = await this.#read.selectFrom("revisions").selectAll().execute();
    this.confirm(since);
    this.#notify(this.#replaceKnown(rows));
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

  /** Records the revisions that are new, and returns their topics. */
  #newTopics(rows: readonly RevisionTable[]): string[] {
    const newer = rows.filter(({ topic, revision }) => revision > this.#knownOf(topic));
    for (const { topic, revision } of newer) this.#known.set(topic, revision);
    return newer.map(({ topic }) => topic);
  }

  /** Replaces the known revisions, and returns the topics of the old and the new ones. */
  #replaceKnown(rows: readonly RevisionTable[]): string[] {
    const topics = [...this.#known.keys(), ...rows.map(({ topic }) => topic)];
    this.#known.clear();
    for (const { topic, revision } of rows) this.#known.set(topic, revision);
    return topics;
  }

  #knownOf(topic: string): number {
    return this.#known.get(topic) ?? 0;
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

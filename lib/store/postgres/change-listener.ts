import { Client } from "pg";
import type { ChangeFeed } from "../changes";
import type { StoreLog } from "../options";
import type { ServerLiveness } from "./lease-pool";
import { ANSWER_MS, sessionConfig, withinTime } from "./session";

export const CHANNEL = "patchbay_changes";
/** Messages between instances (lib/ports/shared-state.ts). */
export const MESSAGES = "patchbay_messages";

/** How often a listening connection is checked, and how often the feed is read without one. */
const BEAT_MS = 5_000;
const FIRST_RETRY_MS = 100;
/** How long a test notification of this process to itself may take. */
const SELF_NOTIFY_MS = 2_000;

/**
 * Receives other instances' commits (`LISTEN`) on its own connection. While that connection is down, the feed is read
 * at least every five seconds, and once after reconnecting, so that no change is lost.
 */
export class ChangeListener {
  readonly #url: string;
  readonly #feed: ChangeFeed;
  readonly #log: StoreLog;
  readonly #liveness: ServerLiveness;
  #client: Client | null = null;
  #connectedAt = 0;
  #timer: NodeJS.Timeout | null = null;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;
  #reading: Promise<void> | null = null;
  #isStale = false;
  /** True after a lost connection, a reconnection or a failed read, until the whole feed was read. */
  #needsReread = false;
  /** True while notifications do not arrive on an open connection. */
  #isMissingNotifications = false;
  #onNotified: () => void = () => undefined;
  readonly #notify: () => Promise<void>;
  #messageListener: (message: string) => void = () => undefined;

  /** `notify` sends a notification over the connections that changes are written on. */
  constructor(
    url: string,
    feed: ChangeFeed,
    { log, liveness, notify }: { log: StoreLog; liveness: ServerLiveness; notify: () => Promise<void> },
  ) {
    this.#url = url;
    this.#liveness = liveness;
    this.#feed = feed;
    this.#log = log;
    this.#notify = notify;
  }

  /** Resolves after the first attempt; a failed one is repeated in the background. */
  async start(): Promise<void> {
    await this.#beat();
  }

  /** Sets the listener for messages of all instances. */
  onMessage(listener: (message: string) => void): void {
    this.#messageListener = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    if (client) await withinTime(client.end(), ANSWER_MS).catch(() => {});
    await this.#reading;
  }

  /** Checks the connection, or makes a new one. Reads the feed without notifications, or after a failed read. */
  async #beat(): Promise<void> {
    // After a failover the old server may still answer, but it gets no commits to announce.
    if (this.#client && this.#connectedAt < this.#liveness.wrongDatabaseAt)
      this.#lose(this.#client, new Error("the database cannot be used as the store"));
    if (this.#client) await this.#ask(this.#client);
    else await this.#connect();
    if (this.#isClosed) return;
    if (!this.#client || this.#isMissingNotifications || this.#isStale) await this.#refresh();
    this.#plan(this.#client ? BEAT_MS : this.#retryMs);
    this.#retryMs = this.#client ? FIRST_RETRY_MS : Math.min(this.#retryMs * 2, BEAT_MS);
  }

  #plan(ms: number): void {
    if (this.#isClosed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#beat(), ms);
    this.#timer.unref();
  }

  async #ask(client: Client): Promise<void> {
    try {
      await withinTime(client.query("select 1"), ANSWER_MS);
    } catch (error) {
      this.#lose(client, error);
    }
  }

  async #connect(): Promise<void> {
    const startedAt = performance.now();
    const client = new Client({
      ...sessionConfig(this.#url, ANSWER_MS),
      application_name: "patchbay listener",
    });
    client.on("error", (error) => this.#lose(client, error));
    client.on("end", () => this.#lose(client, new Error("the server closed the connection")));
    client.on("notification", ({ channel, payload = "" }) => {
      if (channel === MESSAGES) return this.#receive(payload);
      this.#feed.announce();
      this.#setMissingNotifications(false);
      this.#onNotified();
      void this.#refresh();
    });
    try {
      await client.connect();
      await withinTime(client.query(`listen ${CHANNEL}; listen ${MESSAGES}`), ANSWER_MS);
    } catch (error) {
      this.#log.warn("store_listener_down", { cause: String(error) });
      void client.end().catch(() => {});
      return;
    }
    // Another check, begun when the previous connection was lost, may have connected meanwhile.
    if (this.#isClosed || this.#client !== null) {
      void client.end().catch(() => {});
      return;
    }
    this.#client = client;
    this.#connectedAt = startedAt;
    await this.#testNotifications();
    // Commits before the LISTEN were not announced here.
    this.#feed.announce();
    this.#needsReread = true;
    await this.#refresh();
  }

  /** Delivers a message to the listener. An invalid message, such as another program's, must not end the process. */
  #receive(message: string): void {
    try {
      this.#messageListener(message);
    } catch (error) {
      this.#log.warn("store_message_invalid", { cause: String(error) });
    }
  }

  /** A pooler in transaction mode accepts LISTEN, but no notification arrives. */
  async #testNotifications(): Promise<void> {
    const notified = new Promise<void>((resolve) => {
      this.#onNotified = resolve;
    });
    try {
      await this.#notify();
      await withinTime(notified, SELF_NOTIFY_MS);
      this.#setMissingNotifications(false);
    } catch {
      this.#setMissingNotifications(true);
    }
  }

  #setMissingNotifications(isMissing: boolean): void {
    this.#feed.setAnnounced(!isMissing && this.#client !== null);
    if (isMissing && !this.#isMissingNotifications) {
      this.#log.warn("store_listener_deaf", {
        reason:
          "LISTEN gets no notifications on this connection (PgBouncer in transaction mode?): changes made by other instances apply within 5 s instead of 1, and without Redis live pages show only the calls of their own process; set DATABASE_URL_DIRECT to a URL without the pooler",
      });
    }
    this.#isMissingNotifications = isMissing;
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#needsReread = true;
    this.#feed.setAnnounced(false);
    this.#log.warn("store_listener_down", { cause: String(error) });
    void client.end().catch(() => {});
    this.#plan(FIRST_RETRY_MS);
  }

  /** Reads the feed. A notification during the read causes one more read. */
  #refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const needsReread = this.#needsReread;
      this.#needsReread = false;
      try {
        if (needsReread) await this.#feed.reread();
        else await this.#feed.refresh();
      } catch (error) {
        // The next read may be answered by another server, which may lack commits that this one had.
        this.#needsReread = true;
        this.#log.warn("store_watch_failed", { cause: String(error) });
        // The next check of the connection reads again.
        this.#isStale = true;
        return;
      }
    }
  }
}

import type { LiveTopic } from "../../contracts/console/live";
import { AppError, hasCode } from "../../errors";
import type { StopSignal } from "../../ports/stop-signal";
import type { Role, Topic } from "../../ports/store";
import { requireSession } from "../access/guards";
import { peekSession } from "../auth/find-live-session";
import type { ConsoleContext } from "../context";

export type LiveEvent =
  | { kind: "hello"; userId: string }
  | { kind: "changed"; topics: LiveTopic[] }
  | { kind: "beat" }
  /**
   * The last event. `session`: the session ended or lost access; `closing`: the server stops or its store is
   * unavailable.
   */
  | { kind: "ended"; reason: "session" | "closing" };

interface LivePace {
  /** Interval of heartbeats and session checks. */
  beatMs: number;
  /** Shortest time between two `changed` events; changes in between are collected. */
  throttleMs: number;
}
const PACE: LivePace = { beatMs: 15_000, throttleMs: 1_000 };

const MEMBER_TOPICS = ["sessions", "keys", "models", "usage"] as const satisfies LiveTopic[];
const ADMIN_TOPICS = ["users", "channels", "settings", "alerts", "circuits"] as const satisfies LiveTopic[];
/** Topics that may mean the session ended or its user's role changed. */
const SESSION_TOPICS: readonly Topic[] = ["sessions", "users", "settings"];

function topicsFor(role: Role): ReadonlySet<string> {
  return new Set<string>(role === "member" ? MEMBER_TOPICS : [...MEMBER_TOPICS, ...ADMIN_TOPICS]);
}

class ChangeStream implements AsyncIterableIterator<LiveEvent> {
  readonly #ctx: ConsoleContext;
  readonly #pace: LivePace;
  readonly #sessionId: string;
  readonly #userId: string;
  readonly #pending = new Set<LiveTopic>();
  /** Called when the stream ends, in this order. */
  readonly #release: (() => void)[];
  #allowed: ReadonlySet<string>;
  #isOver = false;
  #isGreeted = false;
  #isBeatDue = false;
  /** True when the session may have ended or its user's role may have changed. */
  #isSuspect = false;
  #maySend = true;
  #throttle: NodeJS.Timeout | undefined;
  #wake = (): void => undefined;

  constructor(ctx: ConsoleContext, signal: StopSignal, pace: LivePace, leave: () => void) {
    const { user, session } = requireSession(ctx);
    this.#ctx = ctx;
    this.#pace = pace;
    this.#sessionId = session.id;
    this.#userId = user.id;
    this.#allowed = topicsFor(user.role);
    const beat = setInterval(() => {
      this.#isBeatDue = true;
      this.#isSuspect = true;
      this.#wake();
    }, pace.beatMs);
    const end = (): void => this.#end();
    const { live } = ctx.state;
    this.#release = [
      () => clearInterval(beat),
      () => signal.removeEventListener("abort", end),
      leave,
      live.watch((topic, userId) => {
        const isOthers = userId !== null && userId !== user.id && !this.#allowed.has("users");
        if (!isOthers) this.#note(topic);
      }),
      ctx.store.onChange((topics) => {
        if (SESSION_TOPICS.some((topic) => topics.has(topic))) this.#isSuspect = true;
        for (const topic of topics) this.#note(topic);
        this.#wake();
      }),
      live.onClose(() => this.#wake()),
    ];
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<LiveEvent>> {
    while (!this.#isOver) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const event = await this.#due();
      if (event !== null) return { value: event, done: false };
      await woken;
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<LiveEvent>> {
    this.#end();
    return { value: undefined, done: true };
  }

  #note(topic: string): void {
    if (!this.#allowed.has(topic)) return;
    // `#allowed` holds only live topics.
    this.#pending.add(topic as LiveTopic);
    this.#wake();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#throttle);
    for (const action of this.#release) action();
    this.#wake();
  }

  /** Checks the session again and updates which topics its user may see. */
  async #isStillAllowed(): Promise<boolean> {
    this.#isSuspect = false;
    const found = await peekSession(this.#ctx, this.#sessionId);
    if (found === null || found.mustEnrol) return false;
    this.#allowed = topicsFor(found.user.role);
    for (const topic of this.#pending) if (!this.#allowed.has(topic)) this.#pending.delete(topic);
    return true;
  }

  #changedEvent(): LiveEvent {
    const topics = [...this.#pending];
    this.#pending.clear();
    this.#maySend = false;
    this.#throttle = setTimeout(() => {
      this.#maySend = true;
      this.#wake();
    }, this.#pace.throttleMs);
    return { kind: "changed", topics };
  }

  #endedEvent(reason: "session" | "closing"): LiveEvent {
    this.#end();
    return { kind: "ended", reason };
  }

  /** The next event, if one is due. */
  async #due(): Promise<LiveEvent | null> {
    if (this.#ctx.state.live.isClosed) return this.#endedEvent("closing");
    if (this.#isSuspect) {
      try {
        if (!(await this.#isStillAllowed())) return this.#endedEvent("session");
      } catch (error) {
        // The page reconnects automatically, and its own calls report the unavailable store.
        if (hasCode(error, "storage_unavailable")) return this.#endedEvent("closing");
        throw error;
      }
    }
    if (!this.#isGreeted) {
      this.#isGreeted = true;
      return { kind: "hello", userId: this.#userId };
    }
    if (this.#pending.size > 0 && this.#maySend) return this.#changedEvent();
    if (!this.#isBeatDue) return null;
    this.#isBeatDue = false;
    return { kind: "beat" };
  }
}

/**
 * Streams change events while the session lives, without counting as a use of it. Events are created on demand, so a
 * slow reader keeps only a set of topics waiting. Ends when `signal` aborts. Throws `unauthenticated`, `forbidden`,
 * `rate_limited` (too many streams), `overloaded` (the server stops).
 */
export function watchChanges(
  ctx: ConsoleContext,
  signal: StopSignal,
  pace: LivePace = PACE,
): AsyncIterableIterator<LiveEvent> {
  const { user, session } = requireSession(ctx);
  const { live } = ctx.state;
  if (live.isClosed)
    throw new AppError("overloaded", "The server is shutting down.", { retryAfterMs: 5_000 });
  const leave = live.enter(session.id, user.id);
  if (leave === null)
    throw new AppError("rate_limited", "Too many open event streams for this session or user.", {
      retryAfterMs: 60_000,
    });
  return new ChangeStream(ctx, signal, pace, leave);
}

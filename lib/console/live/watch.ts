import type { LiveTopic } from "../../contracts/console/live";
import { AppError, hasCode } from "../../errors";
import type { Role, Topic } from "../../ports/store";
import { requireSession } from "../access/guards";
import { peekSession } from "../auth/find-live-session";
import type { ConsoleContext } from "../context";

export type LiveEvent =
  | { kind: "hello" }
  | { kind: "changed"; topics: LiveTopic[] }
  | { kind: "beat" }
  /**
   * The last event. `session`: the session ended or lost access; `closing`: the server stops or its store is
   * unavailable.
   */
  | { kind: "ended"; reason: "session" | "closing" };

export interface LivePace {
  /** Interval of heartbeats and session checks. */
  beatMs: number;
  /** Shortest time between two `changed` events; changes in between are collected. */
  throttleMs: number;
}
const PACE: LivePace = { beatMs: 15_000, throttleMs: 1_000 };

const FOR_EVERYBODY = ["sessions", "keys", "models", "usage"] as const satisfies LiveTopic[];
const FOR_OPERATORS = ["users", "channels", "settings", "alerts", "circuits"] as const satisfies LiveTopic[];
/** Topics that may mean the session ended or its user's role changed. */
const GUARDS: readonly Topic[] = ["sessions", "users", "settings"];

function topicsFor(role: Role): ReadonlySet<string> {
  return new Set<string>(role === "member" ? FOR_EVERYBODY : [...FOR_EVERYBODY, ...FOR_OPERATORS]);
}

/**
 * Streams change events while the session lives, without counting as a use of it. Events are made on demand: a slow
 * reader holds back only a set of topics. Ends when `signal` aborts. Throws `unauthenticated`, `forbidden`,
 * `rate_limited` (too many streams), `overloaded` (the server stops).
 */
export function watchChanges(
  ctx: ConsoleContext,
  signal: AbortSignal,
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

  let allowed = topicsFor(user.role);
  let isOver = false;
  let isGreeted = false;
  let isBeatDue = false;
  let isSuspect = false;
  let maySend = true;
  const pending = new Set<LiveTopic>();
  let wake = (): void => undefined;

  const note = (topic: string): void => {
    if (!allowed.has(topic)) return;
    // `allowed` holds live topics alone.
    pending.add(topic as LiveTopic);
    wake();
  };
  const beat = setInterval(() => {
    isBeatDue = true;
    isSuspect = true;
    wake();
  }, pace.beatMs);
  let throttle: NodeJS.Timeout | undefined;
  const release = [
    leave,
    live.subscribe((topic, userId) => {
      const isOthers = userId !== null && userId !== user.id && !allowed.has("users");
      if (!isOthers) note(topic);
    }),
    ctx.store.onChange((topics) => {
      if (GUARDS.some((topic) => topics.has(topic))) isSuspect = true;
      for (const topic of topics) note(topic);
      wake();
    }),
    live.onClose(() => wake()),
  ];
  function end(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(beat);
    clearTimeout(throttle);
    signal.removeEventListener("abort", end);
    for (const action of release) action();
    wake();
  }
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();

  /** Checks the session again and updates which topics its user may see. */
  async function isStillAllowed(): Promise<boolean> {
    isSuspect = false;
    const found = await peekSession(ctx, session.id);
    if (found === null || found.mustEnrol) return false;
    allowed = topicsFor(found.user.role);
    for (const topic of pending) if (!allowed.has(topic)) pending.delete(topic);
    return true;
  }

  function changedEvent(): LiveEvent {
    const topics = [...pending];
    pending.clear();
    maySend = false;
    throttle = setTimeout(() => {
      maySend = true;
      wake();
    }, pace.throttleMs);
    return { kind: "changed", topics };
  }

  function over(reason: "session" | "closing"): LiveEvent {
    end();
    return { kind: "ended", reason };
  }

  /** The next event, if one is due. */
  async function due(): Promise<LiveEvent | null> {
    if (live.isClosed) return over("closing");
    if (isSuspect) {
      try {
        if (!(await isStillAllowed())) return over("session");
      } catch (error) {
        // The page reconnects automatically, and its own calls report the unavailable store.
        if (hasCode(error, "storage_unavailable")) return over("closing");
        throw error;
      }
    }
    if (!isGreeted) {
      isGreeted = true;
      return { kind: "hello" };
    }
    if (pending.size > 0 && maySend) return changedEvent();
    if (!isBeatDue) return null;
    isBeatDue = false;
    return { kind: "beat" };
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      while (!isOver) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const event = await due();
        if (event !== null) return { value: event, done: false };
        await woken;
      }
      return { value: undefined, done: true };
    },
    async return() {
      end();
      return { value: undefined, done: true };
    },
  };
}

import type { LiveTopic } from "../contracts/console/live";

/** `userId`: the user whose calls changed; null: the calls of all users, or the event is unrelated to a user. */
type Listener = (topic: LiveTopic, userId: string | null) => void;

/** Events that are not store changes, for pages with live updates. */
export interface LiveBus {
  /** Publishes an event of this process, for pages and for other instances. Nearly free without listeners. */
  publish(topic: LiveTopic, userId?: string | null): void;
  /** Publishes an event of another instance, for pages only. */
  receive(topic: LiveTopic, userId?: string | null): void;
  /**
   * Follows the events of this process only: for the code that sends them to other instances, and must not send back
   * the events that it receives from them.
   */
  subscribe(listener: Listener): () => void;
  /** Follows the events of all instances, for pages. */
  watch(listener: Listener): () => void;
  /**
   * Admits one more stream of a session and its user, and returns the function that releases it, to be called once;
   * null when the session or the user already has the most streams allowed.
   */
  enter(sessionId: string, userId: string): (() => void) | null;
  /** Called before the process stops: runs the `onClose` actions. */
  close(): void;
  readonly isClosed: boolean;
  /**
   * Runs `action` when the bus closes, or at once when it is already closed. Returns the function that removes
   * `action`.
   */
  onClose(action: () => void): () => void;
}

/** Most streams per session; every visible tab has one. */
const MAX_PER_SESSION = 8;
const MAX_PER_USER = 24;

export function createLiveBus(): LiveBus {
  const listeners = new Set<Listener>();
  const pages = new Set<Listener>();
  const closers = new Set<() => void>();
  const watchers = new Map<string, number>();
  let isClosed = false;

  const count = (name: string, change: number): void => {
    const total = (watchers.get(name) ?? 0) + change;
    if (total > 0) watchers.set(name, total);
    else watchers.delete(name);
  };

  return {
    publish(topic, userId = null) {
      for (const listener of listeners) listener(topic, userId);
      for (const page of pages) page(topic, userId);
    },
    receive(topic, userId = null) {
      for (const page of pages) page(topic, userId);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch(page) {
      pages.add(page);
      return () => pages.delete(page);
    },
    enter(sessionId, userId) {
      const [ofSession, ofUser] = [`session ${sessionId}`, `user ${userId}`];
      if ((watchers.get(ofSession) ?? 0) >= MAX_PER_SESSION || (watchers.get(ofUser) ?? 0) >= MAX_PER_USER)
        return null;
      count(ofSession, 1);
      count(ofUser, 1);
      return () => {
        count(ofSession, -1);
        count(ofUser, -1);
      };
    },
    close() {
      isClosed = true;
      for (const action of closers) action();
      closers.clear();
    },
    get isClosed() {
      return isClosed;
    },
    onClose(action) {
      if (isClosed) action();
      else closers.add(action);
      return () => closers.delete(action);
    },
  };
}

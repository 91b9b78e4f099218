import type { LiveTopic } from "../contracts/console/live";

/** `userId`: the user whose calls changed; null: of all users, or unrelated to a user. */
type Listener = (topic: LiveTopic, userId: string | null) => void;

/** Events that are not store changes, for pages with live updates. */
export interface LiveBus {
  /** An event of this process. Nearly free without listeners. */
  publish(topic: LiveTopic, userId?: string | null): void;
  /** An event of another instance, for pages only. */
  receive(topic: LiveTopic, userId?: string | null): void;
  /** Events of this process only, for the sender to other instances, which must not send back what it receives. */
  subscribe(listener: Listener): () => void;
  /** Events of all instances, for pages. */
  watch(listener: Listener): () => void;
  /** Admits one more stream of that session and user and returns its release, to be called once; null above a limit. */
  enter(sessionId: string, userId: string): (() => void) | null;
  /** Called before the process stops: runs the `onClose` actions. */
  close(): void;
  readonly isClosed: boolean;
  /** Runs `action` at once when the bus is already closed. */
  onClose(action: () => void): () => void;
}

/** Streams per session; every visible tab has one. */
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

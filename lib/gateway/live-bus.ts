import type { LiveTopic } from "../contracts/console/live";

/** `userId`: whose calls it is about; null: everybody's, or nobody's in particular. */
type Listener = (topic: LiveTopic, userId: string | null) => void;

/** What happens in this process besides what the store tells of itself, for the pages that watch. */
export interface LiveBus {
  /** Costs next to nothing where nobody watches. */
  tell(topic: LiveTopic, userId?: string | null): void;
  subscribe(listener: Listener): () => void;
  /** A place for one more watcher of that session and user; null when either has enough. Call the releaser once. */
  enter(sessionId: string, userId: string): (() => void) | null;
  /** The process is about to stop: `onClose` is called, and nobody gets in any more. */
  close(): void;
  readonly isClosed: boolean;
  /** Called at once when it is closed already. */
  onClose(action: () => void): () => void;
}

/** Tabs that are looked at hold one stream each; more than this are not looked at. */
const MOST_OF_SESSION = 8;
const MOST_OF_USER = 24;

export function createLiveBus(): LiveBus {
  const listeners = new Set<Listener>();
  const closers = new Set<() => void>();
  const places = new Map<string, number>();
  let isClosed = false;

  const count = (place: string, change: number): void => {
    const left = (places.get(place) ?? 0) + change;
    if (left > 0) places.set(place, left);
    else places.delete(place);
  };

  return {
    tell(topic, userId = null) {
      for (const listener of listeners) listener(topic, userId);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    enter(sessionId, userId) {
      const [ofSession, ofUser] = [`session ${sessionId}`, `user ${userId}`];
      if ((places.get(ofSession) ?? 0) >= MOST_OF_SESSION || (places.get(ofUser) ?? 0) >= MOST_OF_USER)
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

import type { LiveChange, LiveHello, LiveTopic } from "../contracts/console/live";
import { urlOf } from "./api";
import { watchChanges } from "./endpoints";

/** Wait before a reconnect: doubled with each failure, up to the maximum. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** Without input for this long the stream is closed, so that the session can expire. */
const IDLE_MS = 15 * 60_000;
/** Delay after the page's load event: the page's own requests come first. */
const AFTER_LOAD_MS = 500;
/**
 * Wait before reconnecting after the session ended: after a sign-out in this tab, the page is left within this time.
 */
const AFTER_SESSION_END_MS = 1_000;

/** Three intervals of the server's heartbeats: without an event for this long, the connection counts as dead. */
const MAX_SILENCE_MS = 45_000;

const STREAM_EVENTS = ["hello", "changed", "beat", "ended"] as const;
const ACTIVITY_EVENTS = ["pointermove", "pointerdown", "keydown", "wheel"] as const;

interface LiveListener {
  onChange(topics: readonly LiveTopic[]): void;
  /** Reconnected: changes may have been missed, so everything may be stale. */
  onGap(): void;
  /** Connected with the session of another user. */
  onOtherUser(): void;
  /** The session has ended or lost permissions. */
  onEnd(): void;
  /** Whether the stream is connected. */
  onState(isLive: boolean): void;
}

/**
 * Opens the event stream of changes. It is closed while the tab is hidden, left or idle, and reconnects after failures
 * with growing waits. `userId`: the user who opened the page. Returns a function that closes it for good.
 */
export function openLiveStream(userId: string, listener: LiveListener): () => void {
  let isIdle = false;
  const isWanted = () => document.visibilityState === "visible" && !isIdle;
  const connection = new LiveConnection(userId, listener, isWanted);
  const stop = new AbortController();
  const options = { signal: stop.signal, passive: true };
  const onLoad = () => connection.connectAfter(AFTER_LOAD_MS);
  if (document.readyState === "complete") onLoad();
  else window.addEventListener("load", onLoad, options);
  const connectNow = () => {
    connection.resetWait();
    connection.connect();
  };
  document.addEventListener("visibilitychange", connectNow, options);
  window.addEventListener("online", connectNow, options);
  // In the back/forward cache the page must hold no connection.
  window.addEventListener("pagehide", () => connection.close(), options);
  window.addEventListener("pageshow", (event) => event.persisted && connection.connect(), options);
  const stopWatchingIdle = watchIdle((idle) => {
    isIdle = idle;
    if (idle) connection.close();
    else connection.connect();
  });
  return () => {
    stop.abort();
    stopWatchingIdle();
    connection.close();
  };
}

/** The EventSource and its reconnects. `isWanted` false: `connect` only closes. */
class LiveConnection {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #hasConnected = false;
  /** The session has ended; this browser may have a new one already (after a password change). */
  #hasSessionEnded = false;

  constructor(
    private readonly userId: string,
    private readonly listener: LiveListener,
    private readonly isWanted: () => boolean,
  ) {}

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#source?.close();
    this.#source = null;
    this.listener.onState(false);
  }

  connectAfter(waitMs: number): void {
    this.#timer = setTimeout(() => this.connect(), waitMs);
  }

  connect(): void {
    this.close();
    if (!this.isWanted()) return;
    const stream = new EventSource(urlOf(watchChanges));
    this.#source = stream;
    this.#expectEvent();
    // An older server, during a rolling update, sends no beats.
    let hasBeats = false;
    for (const name of STREAM_EVENTS)
      stream.addEventListener(name, () => {
        hasBeats ||= name === "beat";
        if (hasBeats) this.#expectEvent();
        else clearTimeout(this.#silence);
      });
    stream.addEventListener("hello", (event: MessageEvent<string>) => this.#onHello(event));
    stream.addEventListener("changed", (event: MessageEvent<string>) => {
      // Type assertion: our own server sends what the contract says.
      this.listener.onChange((JSON.parse(event.data) as LiveChange).topics);
    });
    stream.addEventListener("ended", (event: MessageEvent<string>) => this.#onEnded(event));
    // CLOSED: the server refused the stream. After a network error it is CONNECTING (HTML Standard §9.2.3).
    stream.addEventListener("error", () => this.#onError(stream.readyState === EventSource.CLOSED));
  }

  /** Makes the next reconnect wait the minimum again. */
  resetWait(): void {
    this.#failures = 0;
  }

  /**
   * Reconnects unless an event arrives in time: a connection that breaks while the machine sleeps or changes its
   * network reports no error.
   */
  #expectEvent(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#onError(false), MAX_SILENCE_MS);
  }

  #onHello(event: MessageEvent<string>): void {
    // Type assertion: see above. During a rolling update the server may be an older one, which names no user.
    const { user_id = this.userId } = JSON.parse(event.data) as Partial<LiveHello>;
    this.#failures = 0;
    this.#hasSessionEnded = false;
    this.listener.onState(true);
    if (user_id !== this.userId) this.listener.onOtherUser();
    else if (this.#hasConnected) this.listener.onGap();
    this.#hasConnected = true;
  }

  #onEnded(event: MessageEvent<string>): void {
    if (!event.data.includes('"session"')) return;
    this.#hasSessionEnded = true;
    this.close();
    this.connectAfter(AFTER_SESSION_END_MS);
  }

  #onError(isRefused: boolean): void {
    this.close();
    if (this.#hasSessionEnded && isRefused) this.listener.onEnd();
    // EventSource's own reconnect has a constant wait.
    else this.#retry();
  }

  #retry(): void {
    const wait = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Jitter: pages must not all reconnect at once after a restart.
    this.connectAfter(wait * (0.5 + Math.random()));
  }
}

/**
 * Calls `onChange(true)` after `IDLE_MS` without input and `onChange(false)` at the next input. Returns a stop
 * function.
 */
function watchIdle(onChange: (isIdle: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isIdle = false;
  const stop = new AbortController();
  const onActivity = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isIdle = true;
      onChange(true);
    }, IDLE_MS);
    if (!isIdle) return;
    isIdle = false;
    onChange(false);
  };
  for (const name of ACTIVITY_EVENTS)
    window.addEventListener(name, onActivity, { signal: stop.signal, passive: true });
  onActivity();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}

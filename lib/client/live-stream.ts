import type { LiveChange, LiveTopic } from "../contracts/console/live";

const PATH = "/api/events";
/** Waits between attempts to connect: doubled each time, up to the last. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A tab that nobody touches for so long asks for nothing, so that its session ends when it should. */
const UNTOUCHED_MS = 15 * 60_000;
/** The page first: the stream may come when all else is there. */
const AFTER_LOAD_MS = 500;
/** Whoever signs out here is on the way to another page already. */
const LEAVE_MS = 1_000;

const TOUCHES = ["pointermove", "pointerdown", "keydown", "wheel"] as const;

interface LiveListener {
  onChange(topics: readonly LiveTopic[]): void;
  /** What happened since the last time is not known: everything may be stale. */
  onGap(): void;
  /** The session is over, or may do less than before. */
  onEnd(): void;
  /** Whether changes arrive by now. */
  onState(isLive: boolean): void;
}

/**
 * One stream of what changes, for as long as somebody looks: closed while the tab is hidden, left or untouched, opened
 * again after a break with growing waits, silently. Returns what ends it.
 */
export function openLiveStream(listener: LiveListener): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let hasConnected = false;
  let isUntouched = false;
  /** The session of the last stream is over; a changed password has given this browser another one already. */
  let isInDoubt = false;

  const isWanted = () => document.visibilityState === "visible" && !isUntouched;

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = null;
    listener.onState(false);
  }

  function connect(): void {
    close();
    if (!isWanted()) return;
    const stream = new EventSource(PATH);
    source = stream;
    stream.addEventListener("hello", () => {
      failures = 0;
      isInDoubt = false;
      listener.onState(true);
      if (hasConnected) listener.onGap();
      hasConnected = true;
    });
    stream.addEventListener("changed", (event: MessageEvent<string>) => {
      // Our own server's words, by the contract.
      listener.onChange((JSON.parse(event.data) as LiveChange).topics);
    });
    stream.addEventListener("ended", (event: MessageEvent<string>) => {
      if (event.data.includes('"session"')) {
        isInDoubt = true;
        close();
        timer = setTimeout(connect, LEAVE_MS);
      }
    });
    stream.addEventListener("error", () => {
      // Closed by what the server answered; a network that is away leaves it connecting (HTML Standard §9.2.3).
      const isRefused = stream.readyState === EventSource.CLOSED;
      close();
      if (isInDoubt && isRefused) listener.onEnd();
      // The browser would try again by itself, at one pace for ever.
      else retry();
    });
  }

  function retry(): void {
    close();
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    failures += 1;
    // Spread, so that pages do not come back all at once after a restart.
    timer = setTimeout(connect, wait * (0.5 + Math.random()));
  }

  function onTouch(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      isUntouched = true;
      close();
    }, UNTOUCHED_MS);
    if (!isUntouched) return;
    isUntouched = false;
    connect();
  }

  function onVisibility(): void {
    failures = 0;
    connect();
  }

  function begin(): void {
    timer = setTimeout(connect, AFTER_LOAD_MS);
  }

  const stop = new AbortController();
  const on = { signal: stop.signal, passive: true };
  if (document.readyState === "complete") begin();
  else window.addEventListener("load", begin, on);
  document.addEventListener("visibilitychange", onVisibility, on);
  // A page kept for "back" must hold no connection; it comes back by its own event.
  window.addEventListener("pagehide", close, on);
  window.addEventListener("pageshow", (event) => event.persisted && connect(), on);
  for (const touch of TOUCHES) window.addEventListener(touch, onTouch, on);
  onTouch();
  return () => {
    stop.abort();
    clearTimeout(idle);
    close();
  };
}

/** How often a process is asked whether its event loop runs. */
const ASK_MS = 5_000;
/** A process that leaves this many questions in a row unanswered is stuck: 30 to 35 seconds. */
const MAX_UNANSWERED = 6;

interface Watchdog {
  /** The process sent a message. */
  heard(): void;
  /** Ends the watch. */
  end(): void;
}

/**
 * Calls `ask` every five seconds, and `stuck` once when nothing was heard for six questions. It counts questions, not
 * time: after a suspended machine wakes up, every process gets a question before it is called stuck.
 */
export function watchProcess({ ask, stuck }: { ask(): void; stuck(): void }): Watchdog {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered < MAX_UNANSWERED) {
      unanswered += 1;
      ask();
      return;
    }
    clearInterval(timer);
    stuck();
  }, ASK_MS);
  return {
    heard: () => {
      unanswered = 0;
    },
    end: () => clearInterval(timer),
  };
}

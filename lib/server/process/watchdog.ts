import type { EventEmitter } from "node:events";

/** How often a process is asked whether its event loop runs. */
const ASK_MS = 5_000;
/** A process that leaves this many questions in a row unanswered is stuck: 30 to 35 seconds. */
const MAX_UNANSWERED = 6;

/**
 * Calls `ask` every five seconds until the process exits, and `stuck` once when it sent no message for six questions. It
 * counts questions, not time: after a suspended machine wakes up, every process gets a question before it is called
 * stuck.
 */
export function watchProcess(
  worker: Pick<EventEmitter, "on" | "once">,
  { ask, stuck }: { ask(): void; stuck(): void },
): void {
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
  worker.on("message", () => {
    unanswered = 0;
  });
  worker.once("exit", () => clearInterval(timer));
}

/** Preloaded by a bench into the server (`--import`): SIGUSR2 prints the longest step of its event loop since the last one. */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The histogram counts the time between two of its timers. */
const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
process.on("SIGUSR2", () => {
  const longestMs = delays.max / 1e6 - RESOLUTION_MS;
  delays.reset();
  console.error(`longest step of the event loop: ${longestMs.toFixed(1)} ms`);
});

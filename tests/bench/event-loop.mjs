/**
 * Preloaded into the server by a benchmark (`--import`): SIGUSR2 prints the longest step of the server's event loop
 * since the last SIGUSR2.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The interval of the histogram's timer, which is part of every delay that it records. */
const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
process.on("SIGUSR2", () => {
  const longestMs = delays.max / 1e6 - RESOLUTION_MS;
  delays.reset();
  console.error(`longest step of the event loop: ${longestMs.toFixed(1)} ms`);
});

import { runAdmin } from "./run";
import { createTerminal } from "./terminal";

/** The process behind `npm run admin`: runs the command named by its arguments. */
const args = process.argv.slice(2).filter((one, index) => !(index === 0 && one === "--admin"));

process.exitCode = await runAdmin(args, createTerminal());
// Threads and timers of the engine modules must not keep a finished command running.
process.exit();

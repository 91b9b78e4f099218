import { runAdmin } from "./run";
import { createTerminal } from "./terminal";

/** The process behind `npm run admin`: what follows its name on the command line is one command. */
const args = process.argv.slice(2).filter((one, index) => !(index === 0 && one === "--admin"));

process.exitCode = await runAdmin(args, createTerminal());
// Threads and timers of the engines' modules must not hold a command that is done.
process.exit();

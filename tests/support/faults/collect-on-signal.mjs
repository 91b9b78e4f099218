/** Loaded into the server by NODE_OPTIONS: collects garbage at SIGUSR2, so that a test can measure live memory. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => collect());

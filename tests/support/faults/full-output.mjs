import { closeSync, openSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** Loaded into the server by NODE_OPTIONS: its standard output is on a full disk. */
if (isMainThread) {
  closeSync(1);
  openSync("/dev/full", "w");
}

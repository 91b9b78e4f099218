/** Loaded into the server by NODE_OPTIONS: simulates a bug in one handler. */
import { Registry } from "prom-client";

Registry.prototype.metrics = () => {
  throw new TypeError("fault-in-a-handler");
};

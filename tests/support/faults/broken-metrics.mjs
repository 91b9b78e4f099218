/** Loaded into the server by NODE_OPTIONS: one handler has a bug. */
import { Registry } from "prom-client";

Registry.prototype.metrics = () => {
  throw new TypeError("fault-in-a-handler");
};

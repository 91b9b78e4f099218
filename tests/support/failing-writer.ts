/** The store's writer with the failures injected by store-writer.mjs. */
import "./faults/store-writer.mjs";

await import("../../lib/store/sqlite/store.worker");

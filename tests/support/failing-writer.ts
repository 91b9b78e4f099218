/** The store's writer with the faults of ./faults/store-writer.mjs. */
import "./faults/store-writer.mjs";

await import("../../lib/store/sqlite/writer.worker");

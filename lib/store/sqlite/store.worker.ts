import { parentPort } from "node:worker_threads";
import { commitGroup } from "../ledger/commit-group";
import type { LedgerOperation, LedgerOutcome } from "../ledger/operations";
import type { Connection } from "./connection";
import { openForReading, openForWriting, prepareFile } from "./open-file";
import type { Envelope, Failure, Replies, Reply, Request } from "./protocol";

/** A thread with one connection: the store's writer, or a reader for long queries. */
let connection: Connection | null = null;

function opened(): Connection {
  if (!connection) throw new Error("the store worker has no open file");
  return connection;
}

function runGroup(operations: LedgerOperation[]): LedgerOutcome[] {
  const database = opened();
  return database.transaction(() => {
    const work = commitGroup(operations, false);
    let step = work.next();
    while (!step.done) step = work.next(database.cells(step.value.sql, step.value.parameters));
    return step.value;
  });
}

function copyTo(target: string): void {
  const database = opened();
  // SQLite treats a copy as a write, though the store does not change.
  database.exec("pragma query_only = off");
  try {
    database.query("vacuum into ?", [target]);
  } finally {
    database.exec("pragma query_only = on");
  }
}

/** Writes the log (WAL) into the file first, for plain copies of the file; a log that another process needs stays. */
function close(): void {
  try {
    connection?.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // Fails on a reader's connection, and on a store that takes no writes; the log is then read at the next start.
  }
  connection?.close();
  connection = null;
}

function answer(request: Request): Replies[keyof Replies] {
  switch (request.kind) {
    case "open": {
      const open = { prepare: prepareFile, write: openForWriting, scan: openForReading }[request.mode];
      connection = open(request.file);
      return null;
    }
    case "query":
      return opened().query(request.sql, request.parameters);
    case "write":
      return opened().transaction(() => opened().query(request.sql, request.parameters));
    case "exec":
      opened().exec(request.sql);
      return null;
    case "group":
      // Written by the main thread from `LedgerOperation[]`.
      return runGroup(JSON.parse(request.operations) as LedgerOperation[]);
    case "version":
      return Number(opened().cells("pragma data_version", [])[0]?.[0]);
    case "copy":
      copyTo(request.target);
      return null;
    case "close":
      close();
      return null;
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), code: "" };
  return { message: error.message, code: "code" in error ? String(error.code) : "" };
}

const port = parentPort;
if (!port) throw new Error("the store worker must run in a worker thread");
port.on("message", ({ id, request }: Envelope) => {
  let reply: Reply;
  try {
    reply = { id, value: answer(request) };
  } catch (error) {
    reply = { id, failure: failureOf(error) };
  }
  port.postMessage(reply);
  if (request.kind === "close") port.close();
});

import type { LedgerOutcome } from "../ledger/operations";
import type { QueryOutcome } from "./connection";

/** Requests to a store worker. One connection processes them in order. */
export type Request =
  /** `prepare` checks, migrates and creates the file (once, at start); `write` and `scan` open a prepared one. */
  | { kind: "open"; file: string; mode: "prepare" | "write" | "scan" }
  /** `write`: one statement in a transaction of its own. */
  | { kind: "query" | "write"; sql: string; parameters: readonly unknown[] }
  | { kind: "exec"; sql: string }
  /** `operations`: `LedgerOperation[]` as JSON, which both threads read and write faster than a structured clone. */
  | { kind: "group"; operations: string }
  | { kind: "version" }
  /** Copies the current store into an empty file. */
  | { kind: "copy"; target: string }
  | { kind: "close" };

export interface Replies {
  open: null;
  query: QueryOutcome;
  write: QueryOutcome;
  exec: null;
  group: LedgerOutcome[];
  version: number;
  copy: null;
  close: null;
}

/** An error's message and code, as sent between threads. */
export interface Failure {
  message: string;
  code: string;
}

export interface Envelope {
  id: number;
  request: Request;
}

export type Reply = { id: number; value: Replies[keyof Replies] } | { id: number; failure: Failure };

/** An error of the worker, as thrown on this thread; `code` is SQLite's, or that of a `StartError`. */
export class WorkerFailure extends Error {
  readonly code: string;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "WorkerFailure";
    this.code = failure.code;
  }
}

import type { LedgerOperation, LedgerOutcome } from "../ledger/group";
import type { QueryOutcome } from "./connection";

/** What a store worker is asked. One connection works the requests off in their order. */
export type Request =
  /** `prepare` checks, migrates and readies the file (once, at start); `write` and `scan` open a ready one. */
  | { kind: "open"; file: string; mode: "prepare" | "write" | "scan" }
  | { kind: "query"; sql: string; parameters: readonly unknown[] }
  | { kind: "exec"; sql: string }
  | { kind: "group"; operations: LedgerOperation[] }
  | { kind: "version" }
  /** Copies the store as it stands into an empty file. */
  | { kind: "copy"; target: string }
  | { kind: "close" };

export interface Replies {
  open: null;
  query: QueryOutcome;
  exec: null;
  group: LedgerOutcome[];
  version: number;
  copy: null;
  close: null;
}

/** An error's words and code, as they cross the thread. */
export interface Failure {
  message: string;
  code: string;
}

export interface Envelope {
  id: number;
  request: Request;
}

export type Reply = { id: number; value: Replies[keyof Replies] } | { id: number; failure: Failure };

/** SQLite's error on this side of the thread. */
export class WorkerFailure extends Error {
  readonly code: string;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "WorkerFailure";
    this.code = failure.code;
  }
}

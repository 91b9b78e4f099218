/** The messages between the primary of a server with several processes and its members. */

/** A member's place in its server. */
export interface Membership {
  /** ID of the server, the same for all members. */
  server: string;
  /** From 1 to `processes`; a restarted process has the index of the one it replaces. */
  index: number;
  processes: number;
  /** Path of the Unix socket at which the primary serves the built-in engines. */
  engines: string;
  /** The setup token that the first member generated; null: this one may generate it. */
  setupToken: string | null;
}

/** Metrics of one process, as prom-client's JSON. */
export type Measures = object[];

export type ToMember =
  | { kind: "join"; membership: Membership }
  /** Asks whether the event loop runs; the answer is `alive`. */
  | { kind: "ask_alive" }
  /** All members are ready: print the server's address. */
  | { kind: "announce" }
  /** Drain and exit; `isReplaced`: the others keep serving, until a second message says that they stop too. */
  | { kind: "stop"; isReplaced: boolean }
  | { kind: "broadcast"; message: string }
  | { kind: "measure"; id: number }
  | { kind: "collected"; id: number; measures: Measures[] }
  /** The answer to `claim`; after `elsewhere` follows `replied`. */
  | { kind: "claimed"; id: number; result: "claimed" | "elsewhere" | "different" }
  | { kind: "replied"; id: number; reply: string | null }
  /** The answer to `ask`. */
  | { kind: "asked"; id: number; isKnown: boolean };

export type ToPrimary =
  | { kind: "hello" }
  | { kind: "ready"; setupToken: string | null }
  /** This process has failed: it drains, and takes no new connection. */
  | { kind: "failed" }
  /** The answer to `announce`, once it is printed. */
  | { kind: "announced" }
  | { kind: "alive" }
  | { kind: "broadcast"; message: string }
  | { kind: "measured"; id: number; measures: Measures }
  /** Asks for the metrics of all members. */
  | { kind: "collect"; id: number }
  /** Claims a request with an Idempotency-Key (SharedReplies); `finish` ends the claim. */
  | { kind: "claim"; id: number; owner: string; name: string; digest: string }
  /** Asks whether a request with an Idempotency-Key runs or has a reply. */
  | { kind: "ask"; id: number; owner: string; name: string }
  /** Ends a claim; `reply` null: the request has no reply to store. */
  | { kind: "finish"; owner: string; name: string; reply: string | null };

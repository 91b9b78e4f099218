import cluster from "node:cluster";
import type { Broadcast, SharedReplies } from "../../ports/shared-state";
import type { Measures, Membership, ToMember, ToPrimary } from "./cluster-messages";
import { MemberReplies } from "./cluster-replies";

/** A member's connection to its primary. */
export interface ClusterMember extends Membership {
  /** Reports that this process accepts requests. `setupToken`: the token it generated, for the other members. */
  ready(setupToken: string | null): void;
  /** Reports that this process drains after an error and needs a successor. */
  failed(): void;
  broadcast: Broadcast;
  /** Stored replies to requests with an Idempotency-Key, shared by all members. */
  replies: SharedReplies;
  /** Metrics of all members that answer in time, this one included. */
  collect(): Promise<Measures[]>;
  /** Handlers of the primary's requests; until they are set, `stop` exits at once. */
  handlers: {
    stop(isReplaced: boolean): void;
    announce(): Promise<void>;
    measure(): Promise<Measures>;
  };
}

/** False when there is no primary any more. */
const send = (message: ToPrimary): boolean => {
  if (process.connected) process.send?.(message);
  return process.connected;
};

/** Receives the primary's messages after `hello` was answered. */
class Inbox {
  readonly handlers: ClusterMember["handlers"] = {
    stop: () => process.exit(0),
    announce: async () => undefined,
    measure: async () => [],
  };
  readonly replies = new MemberReplies(send);
  readonly #listeners: ((message: string) => void)[] = [];
  readonly #collecting = new Map<number, (measures: Measures[]) => void>();
  #lastId = 0;

  listen(listener: (message: string) => void): void {
    this.#listeners.push(listener);
  }

  collect(): Promise<Measures[]> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#collecting.set(this.#lastId, resolve);
      send({ kind: "collect", id: this.#lastId });
    });
  }

  receive(message: Exclude<ToMember, { kind: "join" }>): void {
    switch (message.kind) {
      case "ask_alive":
        send({ kind: "alive" });
        return;
      case "announce":
        void this.handlers.announce().then(
          () => send({ kind: "announced" }),
          () => undefined,
        );
        return;
      case "stop":
        this.handlers.stop(message.isReplaced);
        return;
      case "broadcast":
        for (const listener of this.#listeners) listener(message.message);
        return;
      case "measure":
        void this.handlers.measure().then(
          (measures) => send({ kind: "measured", id: message.id, measures }),
          () => undefined,
        );
        return;
      case "collected":
        this.#collecting.get(message.id)?.(message.measures);
        this.#collecting.delete(message.id);
        return;
      case "claimed":
      case "replied":
      case "asked":
        this.replies.receive(message);
        return;
      default:
        message satisfies never;
    }
  }
}

/** Joins the server of the primary that forked this process; null in a process that was started directly. */
export async function joinCluster(): Promise<ClusterMember | null> {
  if (!cluster.isWorker) return null;
  const inbox = new Inbox();
  const membership = await new Promise<Membership>((resolve) => {
    // Type assertion: this process receives IPC messages only from the primary.
    process.on("message", (received) => {
      const message = received as ToMember;
      if (message.kind === "join") resolve(message.membership);
      else inbox.receive(message);
    });
    send({ kind: "hello" });
  });
  return {
    ...membership,
    handlers: inbox.handlers,
    replies: inbox.replies,
    ready: (setupToken) => void send({ kind: "ready", setupToken }),
    failed: () => void send({ kind: "failed" }),
    broadcast: {
      send: (message) => void send({ kind: "broadcast", message }),
      listen: (listener) => inbox.listen(listener),
    },
    collect: () => inbox.collect(),
  };
}

import cluster from "node:cluster";
import type { Broadcast } from "../../ports/shared-state/broadcast";
import type { SharedReplies } from "../../ports/shared-state/replies";
import type { Measures, Membership, ToMember, ToPrimary } from "./cluster-messages";
import { createMemberReplies } from "./member-replies";

/** A member's connection to its primary. */
export interface ClusterMember extends Membership {
  /** Reports that this process serves. `setupToken`: the one it generated, for the others. */
  ready(setupToken: string | null): void;
  /** Messages to the other members. */
  broadcast: Broadcast;
  /** Replies under an Idempotency-Key of all members. */
  replies: SharedReplies;
  /** Metrics of all members, this one included; of those that answer in time. */
  collect(): Promise<Measures[]>;
  /** What to do when the primary asks; until set, `stop` exits at once. */
  handlers: {
    stop(isReplaced: boolean): void;
    announce(): void;
    measure(): Promise<Measures>;
  };
}

/** False when there is no primary any more. */
const send = (message: ToPrimary): boolean => {
  if (process.connected) process.send?.(message);
  return process.connected;
};

/** Joins the server of the primary that forked this process; null in a process that was started directly. */
export async function joinCluster(): Promise<ClusterMember | null> {
  if (!cluster.isWorker) return null;
  const handlers: ClusterMember["handlers"] = {
    stop: () => process.exit(0),
    announce: () => undefined,
    measure: async () => [],
  };
  const listeners: ((message: string) => void)[] = [];
  const replies = createMemberReplies(send);
  const waiting = new Map<number, (measures: Measures[]) => void>();
  let lastId = 0;
  const membership = await new Promise<Membership>((resolve) => {
    const receive = (message: ToMember): void => {
      switch (message.kind) {
        case "join":
          resolve(message.membership);
          return;
        case "announce":
          handlers.announce();
          return;
        case "stop":
          handlers.stop(message.isReplaced);
          return;
        case "broadcast":
          for (const listener of listeners) listener(message.message);
          return;
        case "measure":
          void handlers.measure().then(
            (measures) => send({ kind: "measured", id: message.id, measures }),
            () => undefined,
          );
          return;
        case "collected":
          waiting.get(message.id)?.(message.measures);
          waiting.delete(message.id);
          return;
        case "claimed":
        case "replied":
          replies.receive(message);
          return;
        default:
          message satisfies never;
      }
    };
    // The channel carries the primary's messages only.
    process.on("message", (message) => receive(message as ToMember));
    send({ kind: "hello" });
  });
  return {
    ...membership,
    handlers,
    replies,
    ready: (setupToken) => void send({ kind: "ready", setupToken }),
    broadcast: {
      send: (message) => void send({ kind: "broadcast", message }),
      listen: (listener) => void listeners.push(listener),
    },
    collect: () =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        send({ kind: "collect", id: lastId });
      }),
  };
}

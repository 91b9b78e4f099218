import type { SharedReplies } from "../../ports/shared-state";
import type { ToMember, ToPrimary } from "./cluster-messages";

interface Claiming {
  key: string;
  claimed(result: Awaited<ReturnType<SharedReplies["claim"]>>): void;
  replied(reply: string | null): void;
}

/** A primary of another version, which knows no claims, never answers: the request then runs without one. */
const ANSWER_MS = 1_000;

type Answer = Extract<ToMember, { kind: "claimed" | "replied" }>;

/** A member's side of the replies in its primary (`ClusterReplies`). `send` returns false without a primary. */
export function createMemberReplies(
  send: (message: ToPrimary) => boolean,
): SharedReplies & { receive(message: Answer): void } {
  const claiming = new Map<number, Claiming>();
  /** Replies that another member will have. */
  const expected = new Map<string, Promise<string | null>>();
  let lastId = 0;
  const keyOf = (owner: string, name: string): string => `${owner}\n${name}`;

  return {
    claim(owner, name, digest) {
      lastId += 1;
      const id = lastId;
      const key = keyOf(owner, name);
      return new Promise((resolve) => {
        const runHere = (): void => {
          clearTimeout(timer);
          claiming.delete(id);
          expected.delete(key);
          resolve("claimed");
        };
        const timer = setTimeout(runHere, ANSWER_MS);
        const claimed: Claiming["claimed"] = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
        expected.set(key, new Promise((replied) => claiming.set(id, { key, claimed, replied })));
        if (!send({ kind: "claim", id, owner, name, digest })) runHere();
      });
    },

    async wait(owner, name) {
      const reply = expected.get(keyOf(owner, name)) ?? null;
      expected.delete(keyOf(owner, name));
      return reply;
    },

    store: (owner, name, _digest, reply) => void send({ kind: "finish", owner, name, reply }),
    discard: (owner, name) => void send({ kind: "finish", owner, name, reply: null }),

    receive(message) {
      const one = claiming.get(message.id);
      if (message.kind === "claimed" && message.result === "elsewhere") {
        one?.claimed(message.result);
        return;
      }
      claiming.delete(message.id);
      if (message.kind === "replied") one?.replied(message.reply);
      else {
        if (one !== undefined) expected.delete(one.key);
        one?.claimed(message.result);
      }
    },
  };
}

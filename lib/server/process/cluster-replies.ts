import { hasCode } from "../../errors";
import { createIdempotency, type IdempotentStart } from "../../gateway/idempotency";
import type { Clock } from "../../ports/clock";
import type { SharedReplies } from "../../ports/shared-state";
import type { ToMember, ToPrimary } from "./cluster-messages";

type Claim = Extract<ToPrimary, { kind: "claim" }>;
type Finish = Extract<ToPrimary, { kind: "finish" }>;
type Ask = Extract<ToPrimary, { kind: "ask" }>;
type Answer = Extract<ToMember, { kind: "claimed" | "replied" | "asked" }>;
type FirstStart = Extract<IdempotentStart, { kind: "first" }>;

/** Most bytes of stored replies in the primary. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Stored replies to requests with an `Idempotency-Key`, for all members of a server. Without Redis, its primary keeps
 * them.
 */
export class ClusterReplies<Member extends object> {
  readonly #replies: ReturnType<typeof createIdempotency>;
  /** Requests that a member runs, by owner and name. */
  readonly #running = new Map<Member, Map<string, FirstStart>>();

  constructor(clock: Clock) {
    this.#replies = createIdempotency(clock, MAX_BYTES);
  }

  /**
   * Answers `claimed`. After the result `elsewhere`, also answers `replied`, once the member that runs the request has
   * its reply or has given up.
   */
  async claim(
    member: Member,
    { id, owner, name, digest }: Claim,
    answer: (message: Answer) => void,
  ): Promise<void> {
    const begun = await this.#begin(owner, name, digest);
    if (begun === null) {
      answer({ kind: "claimed", id, result: "different" });
      return;
    }
    if (begun.kind === "first") {
      const own = this.#running.get(member) ?? new Map<string, FirstStart>();
      this.#running.set(member, own.set(keyOf(owner, name), begun));
      answer({ kind: "claimed", id, result: "claimed" });
      return;
    }
    answer({ kind: "claimed", id, result: "elsewhere" });
    const reply = await begun.reply;
    answer({ kind: "replied", id, reply: reply === null ? null : Buffer.from(reply.body).toString() });
  }

  /** Answers whether a request runs or has a reply. */
  ask({ id, owner, name }: Ask, answer: (message: Answer) => void): void {
    answer({ kind: "asked", id, isKnown: this.#replies.has(callerOf(owner), name) });
  }

  /** Ends a claim of this member. */
  finish(member: Member, { owner, name, reply }: Finish): void {
    const own = this.#running.get(member);
    const begun = own?.get(keyOf(owner, name));
    own?.delete(keyOf(owner, name));
    if (reply === null) begun?.discard();
    // The members' text is opaque here: of the stored reply only the body is used.
    else begun?.store({ status: 200, headers: {}, body: Buffer.from(reply), row: null });
  }

  /** Ends all claims of a member that has exited. */
  left(member: Member): void {
    for (const begun of this.#running.get(member)?.values() ?? []) begun.discard();
    this.#running.delete(member);
  }

  /** Null: the name belongs to a request with another digest. */
  async #begin(owner: string, name: string, digest: string): Promise<IdempotentStart | null> {
    try {
      return await this.#replies.begin(callerOf(owner), name, digest);
    } catch (error) {
      if (hasCode(error, "invalid")) return null;
      throw error;
    }
  }
}

const keyOf = (owner: string, name: string): string => `${owner}\n${name}`;
/** The API key is part of the name already, so the owner is used as the key as well. */
const callerOf = (owner: string) => ({ key: { id: owner }, owner: { id: owner } });

type Claimed = Awaited<ReturnType<SharedReplies["claim"]>>;

interface Claiming {
  key: string;
  claimed(result: Claimed): void;
  replied(reply: string | null): void;
}

/**
 * How long a member waits for its primary. A primary of another version may not know these messages and never answers:
 * the request then runs without a claim.
 */
const ANSWER_MS = 1_000;

/** A member's side of the replies in its primary (`ClusterReplies`). */
export class MemberReplies implements SharedReplies {
  readonly #send: (message: ToPrimary) => boolean;
  readonly #claiming = new Map<number, Claiming>();
  /** Replies to requests that another member runs, by owner and name. */
  readonly #expected = new Map<string, Promise<string | null>>();
  readonly #asking = new Map<number, (isKnown: boolean) => void>();
  #lastId = 0;

  /** `send` returns false without a primary. */
  constructor(send: (message: ToPrimary) => boolean) {
    this.#send = send;
  }

  claim(owner: string, name: string, digest: string): Promise<Claimed> {
    this.#lastId += 1;
    const id = this.#lastId;
    const key = keyOf(owner, name);
    return new Promise((resolve) => {
      const runHere = (): void => {
        clearTimeout(timer);
        this.#claiming.delete(id);
        this.#expected.delete(key);
        resolve("claimed");
      };
      const timer = setTimeout(runHere, ANSWER_MS);
      const claimed = (result: Claimed): void => {
        clearTimeout(timer);
        resolve(result);
      };
      this.#expected.set(key, new Promise((replied) => this.#claiming.set(id, { key, claimed, replied })));
      if (!this.#send({ kind: "claim", id, owner, name, digest })) runHere();
    });
  }

  has(owner: string, name: string): Promise<boolean> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const answer = (isKnown: boolean): void => {
        clearTimeout(timer);
        this.#asking.delete(id);
        resolve(isKnown);
      };
      const timer = setTimeout(() => answer(false), ANSWER_MS);
      this.#asking.set(id, answer);
      if (!this.#send({ kind: "ask", id, owner, name })) answer(false);
    });
  }

  async wait(owner: string, name: string): Promise<string | null> {
    const reply = this.#expected.get(keyOf(owner, name)) ?? null;
    this.#expected.delete(keyOf(owner, name));
    return reply;
  }

  store(owner: string, name: string, _digest: string, reply: string): void {
    this.#send({ kind: "finish", owner, name, reply });
  }

  discard(owner: string, name: string): void {
    this.#send({ kind: "finish", owner, name, reply: null });
  }

  /** Receives an answer of the primary. */
  receive(message: Answer): void {
    if (message.kind === "asked") {
      this.#asking.get(message.id)?.(message.isKnown);
      return;
    }
    const one = this.#claiming.get(message.id);
    if (message.kind === "claimed" && message.result === "elsewhere") {
      one?.claimed(message.result);
      return;
    }
    this.#claiming.delete(message.id);
    if (message.kind === "replied") one?.replied(message.reply);
    else {
      if (one !== undefined) this.#expected.delete(one.key);
      one?.claimed(message.result);
    }
  }
}

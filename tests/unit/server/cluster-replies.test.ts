import { expect, test } from "vitest";
import type { ToPrimary } from "@/lib/server/process/cluster-messages";
import { ClusterReplies, MemberReplies } from "@/lib/server/process/cluster-replies";
import { FakeClock } from "../../support/factories";

/** A primary and its members, whose messages arrive later, as between processes. */
function openServer() {
  const primary = new ClusterReplies<object>(new FakeClock());
  const join = () => {
    const member = {};
    const state = { isConnected: true };
    const replies = new MemberReplies((message: ToPrimary) => {
      setImmediate(() => {
        if (message.kind === "claim")
          void primary.claim(member, message, (answer) => setImmediate(() => replies.receive(answer)));
        else if (message.kind === "ask")
          primary.ask(message, (answer) => setImmediate(() => replies.receive(answer)));
        else if (message.kind === "finish") primary.finish(member, message);
      });
      return state.isConnected;
    });
    return { replies, state, exit: () => primary.left(member) };
  };
  return { one: join(), other: join() };
}

test("a request that one process runs is not run by another, which gets its reply", async () => {
  const { one, other } = openServer();
  expect(await one.replies.claim("usr_1", "order", "abc")).toBe("claimed");
  expect(await other.replies.claim("usr_1", "order", "abc")).toBe("elsewhere");
  const reply = other.replies.wait("usr_1", "order");
  one.replies.store("usr_1", "order", "abc", "the reply, größer");
  expect(await reply).toBe("the reply, größer");
  expect(await other.replies.claim("usr_1", "order", "abc")).toBe("elsewhere");
  expect(await other.replies.wait("usr_1", "order")).toBe("the reply, größer");
  // The reply is kept only until it is read.
  expect(await other.replies.wait("usr_1", "order")).toBeNull();
});

test("a process knows whether another one runs a request or has its reply", async () => {
  const { one, other } = openServer();
  const asked = () => Promise.all([other.replies.has("usr_1", "order"), other.replies.has("usr_2", "order")]);
  expect(await asked()).toEqual([false, false]);
  await one.replies.claim("usr_1", "order", "abc");
  expect(await asked()).toEqual([true, false]);
  one.replies.store("usr_1", "order", "abc", "the reply");
  expect(await asked()).toEqual([true, false]);
  one.replies.discard("usr_1", "order");
  await one.replies.claim("usr_1", "other", "abc");
  one.replies.discard("usr_1", "other");
  expect(await other.replies.has("usr_1", "other")).toBe(false);
});

test("an idempotency key belongs to one request of its owner", async () => {
  const { one, other } = openServer();
  await one.replies.claim("usr_1", "order", "abc");
  expect(await other.replies.claim("usr_1", "order", "xyz")).toBe("different");
  expect(await other.replies.claim("usr_2", "order", "xyz")).toBe("claimed");
});

test("a request that a process discards, or leaves by exiting, may be run by another", async () => {
  for (const end of ["discard", "exit"] as const) {
    const { one, other } = openServer();
    await one.replies.claim("usr_1", "order", "abc");
    expect(await other.replies.claim("usr_1", "order", "abc")).toBe("elsewhere");
    const reply = other.replies.wait("usr_1", "order");
    if (end === "exit") one.exit();
    else one.replies.discard("usr_1", "order");
    expect(await reply).toBeNull();
    expect(await other.replies.claim("usr_1", "order", "abc")).toBe("claimed");
  }
});

test("a process without its primary runs a request itself", async () => {
  const { one } = openServer();
  one.state.isConnected = false;
  expect(await one.replies.claim("usr_1", "order", "abc")).toBe("claimed");
  expect(await one.replies.wait("usr_1", "order")).toBeNull();
  expect(await one.replies.has("usr_1", "order")).toBe(false);
});

test("a process runs a request itself when the primary does not answer, and ignores a late answer", async () => {
  const replies = new MemberReplies(() => true);
  expect(await replies.claim("usr_1", "order", "abc")).toBe("claimed");
  expect(await replies.has("usr_1", "order")).toBe(false);
  replies.receive({ kind: "claimed", id: 1, result: "elsewhere" });
  expect(await replies.wait("usr_1", "order")).toBeNull();
});

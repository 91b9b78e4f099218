import { describe, expect, test, vi } from "vitest";
import { addressBucket } from "@/lib/gateway/admission/address-list";
import { embedModel, type GatewayHarness, openGatewayHarness } from "../support/gateway-harness";

const PATH = "/v1/embeddings";
const BODY = { body: { model: "patchbay-embed", input: "a" } };

function withKey(key: string, address: string | null = "127.0.0.1") {
  return { ...BODY, address, headers: { authorization: `Bearer ${key}` } };
}

test("malformed, mistyped and unknown keys get one and the same 401, the first two without a store read", async () => {
  const door = openGatewayHarness();
  const last = door.key.at(-1) === "a" ? "b" : "a";
  const mistyped = `${door.key.slice(0, -1)}${last}`;
  const malformed = [
    "x'; DROP TABLE keys;--",
    "%",
    "a b",
    "sk-pb-",
    "x".repeat(8_192),
    door.key.toUpperCase(),
    mistyped,
  ];
  const bodies = new Set<string>();
  for (const key of malformed) {
    const reply = await door.call(PATH, withKey(key));
    expect([reply.status, reply.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    bodies.add(reply.text);
  }
  expect(door.keyReads).toEqual([]);
  const stranger = openGatewayHarness().key;
  for (let i = 0; i < 3; i++) bodies.add((await door.call(PATH, withKey(stranger))).text);
  expect(door.keyReads).toHaveLength(1);
  expect(bodies.size).toBe(1);
});

test("a key is read from the store once, and again after a change", async () => {
  const door = openGatewayHarness();
  for (let i = 0; i < 5; i++) expect((await door.call(PATH, BODY)).status).toBe(200);
  expect(door.keyReads).toHaveLength(1);
  door.change("keys");
  await door.call(PATH, BODY);
  expect(door.keyReads).toHaveLength(2);
});

test("a key made after it was refused works with the next request", async () => {
  const door = openGatewayHarness();
  const { key } = openGatewayHarness();
  expect((await door.call(PATH, withKey(key))).status).toBe(401);
  door.addKey({}, key);
  door.change("keys");
  expect((await door.call(PATH, withKey(key))).status).toBe(200);
});

test("a read that a change overtook is not kept", async () => {
  let isFirst = true;
  const door = openGatewayHarness({
    ownerEnabled: () => {
      if (isFirst) door.change("keys");
      isFirst = false;
      return true;
    },
  });
  await door.call(PATH, BODY);
  await door.call(PATH, BODY);
  await door.call(PATH, BODY);
  expect(door.keyReads).toHaveLength(2);
});

test("an expired or disabled key, and one of a disabled owner, are told why", async () => {
  let ownerEnabled = true;
  const door = openGatewayHarness({ ownerEnabled: () => ownerEnabled });
  const expiring = door.addKey({ expiresAt: door.clock.at + 1_000 });
  expect((await door.call(PATH, withKey(expiring))).status).toBe(200);
  door.clock.at += 1_000;
  const expired = await door.call(PATH, withKey(expiring));
  expect([expired.status, expired.json.error.message]).toEqual([401, expect.stringContaining("expired")]);
  const disabled = await door.call(PATH, withKey(door.addKey({ enabled: false })));
  expect([disabled.status, disabled.json.error.message]).toEqual([401, expect.stringContaining("disabled")]);
  expect((await door.call(PATH, BODY)).status).toBe(200);
  ownerEnabled = false;
  door.change("users");
  expect((await door.call(PATH, BODY)).status).toBe(401);
});

test("a key with an address list works from there alone, and never where the peer is unknown", async () => {
  const door = openGatewayHarness();
  const key = door.addKey({ allowedAddresses: ["10.0.0.0/8", "192.168.1.7", "2001:db8::/32"] });
  for (const address of ["10.1.2.3", "192.168.1.7", "2001:db8::1", "::ffff:10.0.0.1"]) {
    expect((await door.call(PATH, withKey(key, address))).status, address).toBe(200);
  }
  for (const address of ["11.0.0.1", "192.168.1.8", "2001:db9::1", null]) {
    const reply = await door.call(PATH, withKey(key, address));
    expect([reply.status, reply.json.error.code], String(address)).toEqual([403, "ip_not_allowed"]);
  }
});

test("operations and models of a key are held", async () => {
  const door = openGatewayHarness();
  const mute = await door.call(PATH, withKey(door.addKey({ operations: ["speech"] })));
  expect([mute.status, mute.json.error.type]).toEqual([403, "permission_error"]);
  const other = await door.call(PATH, withKey(door.addKey({ allowedModels: ["gemini-embedding-001"] })));
  expect([other.status, other.json.error.code]).toEqual([403, "model_not_allowed"]);
  expect(
    (await door.call(PATH, withKey(door.addKey({ allowedModels: ["text-embedding-3-small"] })))).status,
  ).toBe(200);
});

test("exactly as many requests as a key may send in a minute pass, and the replies tell how many are left", async () => {
  const door = openGatewayHarness();
  const key = door.addKey({ rpm: 3 });
  const replies = await Promise.all(Array.from({ length: 4 }, () => door.call(PATH, withKey(key))));
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 200, 200, 429]);
  expect(replies[0]?.headers).toMatchObject({
    "ratelimit-limit": "3",
    "ratelimit-remaining": "2",
    "x-ratelimit-limit-requests": "3",
    "x-ratelimit-remaining-requests": "2",
  });
  const refused = replies.find((reply) => reply.status === 429);
  expect(refused?.json.error).toMatchObject({ type: "rate_limit_error", code: "rate_limit_exceeded" });
  expect(refused?.headers["retry-after"]).toBe("60");
  door.clock.at += 60_000;
  expect((await door.call(PATH, withKey(key))).status).toBe(200);
});

test("tokens a minute are held, and a request above them is told to be smaller", async () => {
  const door = openGatewayHarness();
  const key = door.addKey({ tpm: 5 });
  const send = (input: string) =>
    door.call(PATH, { ...withKey(key), body: { model: "patchbay-embed", input } });
  const first = await send("one two three");
  expect(first.headers["x-ratelimit-remaining-tokens"]).toBe("2");
  expect((await send("one two three")).status).toBe(429);
  expect((await send("one two")).status).toBe(200);
  const large = await send("one two three four five six");
  expect([large.status, large.headers["x-should-retry"]]).toEqual([429, "false"]);
});

/** Counts calls that were let in and are then held. `all` ends with the `most`th, so that a test need not wait for a refusal that does not come. */
function countEntries(most: number): { count(held: Promise<void>): Promise<void>; all: Promise<void> } {
  let left = most;
  let end = (): void => {};
  const all = new Promise<void>((resolve) => {
    end = resolve;
  });
  const count = (held: Promise<void>): Promise<void> => {
    left -= 1;
    if (left === 0) end();
    return held;
  };
  return { count, all };
}

test("a call above a key's calls at once is 429 with Retry-After, and its place is given back", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const entered = countEntries(3);
  const door = openGatewayHarness({ settling: () => entered.count(held) });
  const key = door.addKey({ concurrency: 2 });
  const running = [door.call(PATH, withKey(key)), door.call(PATH, withKey(key))];
  const third = door.call(PATH, withKey(key));
  await Promise.race([third, entered.all]);
  release();
  const refused = await third;
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect((await Promise.all(running)).map((reply) => reply.status)).toEqual([200, 200]);
  expect((await door.call(PATH, withKey(key))).status).toBe(200);
});

describe("a limit of all keys of a user together", () => {
  const send = (door: GatewayHarness, key: string, input = "one two three") =>
    door.call(PATH, { ...withKey(key), body: { model: "patchbay-embed", input } });
  const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

  test("holds requests a minute over two keys, with the tighter limit in the headers", async () => {
    const door = openGatewayHarness({ owner: () => ({ rpm: 3 }) });
    const [one, other] = [door.addKey({ rpm: 2 }), door.addKey()];
    const replies = [await send(door, one), await send(door, other), await send(door, one)];
    expect(statuses(replies)).toEqual([200, 200, 200]);
    // Of the key's two requests one is left, of the user's three two are; then one of three; then none of both.
    expect(
      replies.map(({ headers }) => [headers["ratelimit-limit"], headers["ratelimit-remaining"]]),
    ).toEqual([
      ["2", "1"],
      ["3", "1"],
      ["2", "0"],
    ]);
    const refused = await send(door, other);
    expect(refused.status).toBe(429);
    expect(refused.json.error).toMatchObject({
      code: "rate_limit_exceeded",
      message: "All keys of this key's owner together may have 3 requests a minute. Try again in 60 s.",
    });
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "ratelimit-limit": "3",
      "ratelimit-remaining": "0",
      "x-ratelimit-limit-requests": "3",
      "x-ratelimit-remaining-requests": "0",
    });
    door.clock.at += 60_000;
    expect((await send(door, other)).status).toBe(200);
  });

  test("uses up nothing of the key's limit when it refuses, nor the other way round", async () => {
    const limits = { rpm: 1 };
    const door = openGatewayHarness({ owner: () => limits });
    const [one, other] = [door.addKey({ rpm: 2 }), door.addKey()];
    expect(statuses([await send(door, other), await send(door, one), await send(door, one)])).toEqual([
      200, 429, 429,
    ]);
    limits.rpm = 100;
    door.change("users");
    expect(statuses([await send(door, one), await send(door, one), await send(door, one)])).toEqual([
      200, 200, 429,
    ]);
    limits.rpm = 4;
    door.change("users");
    // Three of the user's four are taken: the key's own refusal took none.
    expect(statuses([await send(door, other), await send(door, other)])).toEqual([200, 429]);
  });

  test("holds tokens a minute over two keys; a call that needs more than the limit is not to be sent again", async () => {
    const door = openGatewayHarness({ owner: () => ({ tpm: 5 }) });
    const [one, other] = [door.addKey({ tpm: 100 }), door.addKey()];
    const first = await send(door, one);
    expect([
      first.headers["x-ratelimit-limit-tokens"],
      first.headers["x-ratelimit-remaining-tokens"],
    ]).toEqual(["5", "2"]);
    const refused = await send(door, other);
    expect([refused.status, refused.headers["retry-after"], refused.headers["x-should-retry"]]).toEqual([
      429,
      "60",
      undefined,
    ]);
    expect(refused.headers).toMatchObject({
      "x-ratelimit-limit-tokens": "5",
      "x-ratelimit-remaining-tokens": "2",
    });
    expect((await send(door, other, "one two")).status).toBe(200);
    const large = await send(door, one, "one two three four five six");
    expect([large.status, large.headers["x-should-retry"]]).toEqual([429, "false"]);
  });

  test("holds calls at the same time over two keys, and gives their places back", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const entered = countEntries(3);
    const door = openGatewayHarness({
      settling: () => entered.count(held),
      owner: () => ({ concurrency: 2 }),
    });
    const [one, other, third] = [door.addKey({ concurrency: 1 }), door.addKey(), door.addKey()];
    const running = [send(door, other), send(door, third)];
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const further = Promise.all([send(door, one), send(door, other)]);
    await Promise.race([further, entered.all]);
    release();
    for (const refused of await further) {
      expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
      expect(refused.json.error.message).toContain("All keys of this key's owner together may have 2 calls");
    }
    expect(statuses(await Promise.all(running))).toEqual([200, 200]);
    // The refused call has given the place of its own key back, too.
    expect((await send(door, one)).status).toBe(200);
  });

  test("is their budget, which every call reserves from, whichever key it comes with", async () => {
    const budget = { totalNano: 1_000_000, dailyNano: 10_000, monthlyNano: null };
    const door = openGatewayHarness({
      models: [
        embedModel({
          prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 },
          cacheable: false,
        }),
      ],
      owner: () => ({ budget }),
    });
    const keys = [door.addKey(), door.addKey({ budget: { ...budget, dailyNano: 500 } })];
    for (const key of keys) expect((await send(door, key)).status).toBe(200);
    expect(door.reservations.map(({ row, userBudget }) => [row.userId, userBudget])).toEqual([
      ["usr_1", budget],
      ["usr_1", budget],
    ]);
  });

  test.each(["totalNano", "dailyNano", "monthlyNano"])(
    "refuses even a free call where %s is 0",
    async (name) => {
      const budget = { totalNano: null, dailyNano: null, monthlyNano: null, [name]: 0 };
      const door = openGatewayHarness({ owner: () => ({ budget }) });
      for (const key of [door.addKey(), door.addKey()]) {
        const refused = await send(door, key);
        expect([refused.status, refused.json.error]).toEqual([
          429,
          expect.objectContaining({
            code: "insufficient_quota",
            message: "The budget of this key's owner has no room for this call.",
          }),
        ]);
      }
    },
  );

  test("is another user's alone: who has none is not held up", async () => {
    const door = openGatewayHarness({ owner: () => ({ rpm: 1 }) });
    const [mine, theirs] = [door.addKey(), door.addKey({ ownerId: "usr_2" })];
    expect(statuses([await send(door, mine), await send(door, theirs), await send(door, mine)])).toEqual([
      200, 200, 429,
    ]);
  });
});

test("after 120 wrong keys a minute from one address more of them are 429 there; right keys go on", async () => {
  const door = openGatewayHarness();
  for (let i = 0; i < 120; i++)
    expect((await door.call(PATH, withKey("wrong", "203.0.113.9"))).status).toBe(401);
  const refused = await door.call(PATH, withKey("wrong", "203.0.113.9"));
  expect([refused.status, Number(refused.headers["retry-after"])]).toEqual([429, 60]);
  expect((await door.call(PATH, withKey("wrong", "203.0.113.10"))).status).toBe(401);
  expect((await door.call(PATH, withKey(door.key, "203.0.113.9"))).status).toBe(200);
});

test("addresses of one IPv6 /64 share a bucket", () => {
  expect(addressBucket("2001:db8:1:2::5")).toBe(addressBucket("2001:0db8:1:2:ffff::1"));
  expect(addressBucket("2001:db8:1:3::5")).not.toBe(addressBucket("2001:db8:1:2::5"));
  expect(addressBucket("::1")).toBe("0:0:0:0::/64");
});

test("uses of a key are written in one batch some seconds later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const door = openGatewayHarness();
    const second = door.addKey();
    await door.call(PATH, BODY);
    await door.call(PATH, BODY);
    await door.call(PATH, withKey(second));
    expect(door.touched).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(door.touched.map((batch) => [...batch.keys()])).toEqual([["key_1", "key_2"]]);
  } finally {
    vi.useRealTimers();
  }
});

test("a key that is revoked while a slow body comes in is refused with that body", async () => {
  const enabled = { owner: true };
  const door = openGatewayHarness({ ownerEnabled: () => enabled.owner });
  const whileReading = () => {
    enabled.owner = false;
    door.change("users");
    door.clock.at += 51;
  };
  const reply = await door.call(PATH, { ...BODY, whileReading });
  expect([reply.status, door.rows.length]).toEqual([401, 0]);
});

import { describe, expect, test, vi } from "vitest";
import { addressBucket } from "@/lib/gateway/admission/address-list";
import { embedModel } from "../support/factories";
import { type GatewayHarness, openGatewayHarness } from "../support/gateway-harness";

const PATH = "/v1/embeddings";
const BODY = { body: { model: "patchbay-embed", input: "a" } };

function withKey(key: string, address: string | null = "127.0.0.1") {
  return { ...BODY, address, headers: { authorization: `Bearer ${key}` } };
}

test("answers malformed, mistyped and unknown keys with the same 401, the first two without a store read", async () => {
  const harness = openGatewayHarness();
  const last = harness.key.at(-1) === "a" ? "b" : "a";
  const mistyped = `${harness.key.slice(0, -1)}${last}`;
  const malformed = [
    "x'; DROP TABLE keys;--",
    "%",
    "a b",
    "sk-pb-",
    "x".repeat(8_192),
    harness.key.toUpperCase(),
    mistyped,
  ];
  const bodies = new Set<string>();
  for (const key of malformed) {
    const reply = await harness.call(PATH, withKey(key));
    expect([reply.status, reply.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    bodies.add(reply.text);
  }
  expect(harness.keyReads).toEqual([]);
  const unknownKey = openGatewayHarness().key;
  for (let i = 0; i < 3; i++) bodies.add((await harness.call(PATH, withKey(unknownKey))).text);
  expect(harness.keyReads).toHaveLength(1);
  expect(bodies.size).toBe(1);
});

test("reads a key from the store once, and again after a change", async () => {
  const harness = openGatewayHarness();
  for (let i = 0; i < 5; i++) expect((await harness.call(PATH, BODY)).status).toBe(200);
  expect(harness.keyReads).toHaveLength(1);
  harness.change("keys");
  await harness.call(PATH, BODY);
  expect(harness.keyReads).toHaveLength(2);
});

test("writes the last use of a key to the store after five seconds, and again after later uses", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const harness = openGatewayHarness();
    const uses: number[] = [];
    for (let i = 0; i < 2; i++) {
      harness.clock.advance(60_000);
      uses.push(harness.clock.now());
      await harness.call(PATH, BODY);
      await harness.call(PATH, BODY);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(harness.touched.map((keys) => [...keys.values()])).toEqual(uses.map((at) => [at]));
  } finally {
    vi.useRealTimers();
  }
});

test("accepts a key created after its refusal with the next request", async () => {
  const harness = openGatewayHarness();
  const { key } = openGatewayHarness();
  expect((await harness.call(PATH, withKey(key))).status).toBe(401);
  harness.addKey({}, key);
  harness.change("keys");
  expect((await harness.call(PATH, withKey(key))).status).toBe(200);
});

test("does not cache a key that changed while it was read", async () => {
  let isFirst = true;
  const harness = openGatewayHarness({
    ownerEnabled: () => {
      if (isFirst) harness.change("keys");
      isFirst = false;
      return true;
    },
  });
  await harness.call(PATH, BODY);
  await harness.call(PATH, BODY);
  await harness.call(PATH, BODY);
  expect(harness.keyReads).toHaveLength(2);
});

test("refuses an expired or disabled key, or one of a disabled owner, with the reason", async () => {
  let ownerEnabled = true;
  const harness = openGatewayHarness({ ownerEnabled: () => ownerEnabled });
  const expiring = harness.addKey({ expiresAt: harness.clock.at + 1_000 });
  expect((await harness.call(PATH, withKey(expiring))).status).toBe(200);
  harness.clock.at += 1_000;
  const expired = await harness.call(PATH, withKey(expiring));
  expect([expired.status, expired.json.error.message]).toEqual([401, expect.stringContaining("expired")]);
  const disabled = await harness.call(PATH, withKey(harness.addKey({ enabled: false })));
  expect([disabled.status, disabled.json.error.message]).toEqual([401, expect.stringContaining("disabled")]);
  expect((await harness.call(PATH, BODY)).status).toBe(200);
  ownerEnabled = false;
  harness.change("users");
  expect((await harness.call(PATH, BODY)).status).toBe(401);
});

test("accepts a key with an address list from these addresses only, never from an unknown peer", async () => {
  const harness = openGatewayHarness();
  const key = harness.addKey({ allowedAddresses: ["10.0.0.0/8", "192.168.1.7", "2001:db8::/32"] });
  for (const address of ["10.1.2.3", "192.168.1.7", "2001:db8::1", "::ffff:10.0.0.1"]) {
    expect((await harness.call(PATH, withKey(key, address))).status, address).toBe(200);
  }
  for (const address of ["11.0.0.1", "192.168.1.8", "2001:db9::1", null]) {
    const reply = await harness.call(PATH, withKey(key, address));
    expect([reply.status, reply.json.error.code], String(address)).toEqual([403, "ip_not_allowed"]);
  }
});

test("enforces the operations and models of a key", async () => {
  const harness = openGatewayHarness();
  const mute = await harness.call(PATH, withKey(harness.addKey({ operations: ["speech"] })));
  expect([mute.status, mute.json.error.type]).toEqual([403, "permission_error"]);
  const other = await harness.call(
    PATH,
    withKey(harness.addKey({ allowedModels: ["gemini-embedding-001"] })),
  );
  expect([other.status, other.json.error.code]).toEqual([403, "model_not_allowed"]);
  expect(
    (await harness.call(PATH, withKey(harness.addKey({ allowedModels: ["text-embedding-3-small"] })))).status,
  ).toBe(200);
});

test("admits exactly a key's requests per minute, with the remaining number in the headers", async () => {
  const harness = openGatewayHarness();
  const key = harness.addKey({ rpm: 3 });
  const replies = await Promise.all(Array.from({ length: 4 }, () => harness.call(PATH, withKey(key))));
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
  harness.clock.at += 60_000;
  expect((await harness.call(PATH, withKey(key))).status).toBe(200);
});

test("counts requests without a model against a key's requests per minute, too", async () => {
  const harness = openGatewayHarness();
  const key = harness.addKey({ rpm: 2 });
  const list = () =>
    harness.call("/v1/models", { method: "GET", headers: { authorization: `Bearer ${key}` } });
  const replies = [await list(), await list(), await list()];
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 429]);
  expect(replies[0]?.headers["ratelimit-remaining"]).toBe("1");
});

test("enforces tokens per minute; a request above the whole limit gets x-should-retry: false", async () => {
  const harness = openGatewayHarness();
  const key = harness.addKey({ tpm: 5 });
  const send = (input: string) =>
    harness.call(PATH, { ...withKey(key), body: { model: "patchbay-embed", input } });
  const first = await send("one two three");
  expect(first.headers["x-ratelimit-remaining-tokens"]).toBe("2");
  expect((await send("one two three")).status).toBe(429);
  expect((await send("one two")).status).toBe(200);
  const large = await send("one two three four five six");
  expect([large.status, large.headers["x-should-retry"]]).toEqual([429, "false"]);
});

/**
 * Counts admitted calls and blocks them. `all` resolves with call number `total`, so that a test does not wait for a
 * refusal.
 */
function countEntries(total: number): { count(held: Promise<void>): Promise<void>; all: Promise<void> } {
  let left = total;
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

test("refuses a call above a key's concurrency limit with 429 and Retry-After, and frees its slot afterwards", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const entered = countEntries(3);
  const harness = openGatewayHarness({ settling: () => entered.count(held) });
  const key = harness.addKey({ concurrency: 2 });
  const running = [harness.call(PATH, withKey(key)), harness.call(PATH, withKey(key))];
  const third = harness.call(PATH, withKey(key));
  await Promise.race([third, entered.all]);
  release();
  const refused = await third;
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect((await Promise.all(running)).map((reply) => reply.status)).toEqual([200, 200]);
  expect((await harness.call(PATH, withKey(key))).status).toBe(200);
});

describe("a limit of all keys of a user together", () => {
  const send = (harness: GatewayHarness, key: string, input = "one two three") =>
    harness.call(PATH, { ...withKey(key), body: { model: "patchbay-embed", input } });
  const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

  test("limits requests per minute over two keys, with the tighter limit in the headers", async () => {
    const harness = openGatewayHarness({ owner: () => ({ rpm: 3 }) });
    const [one, other] = [harness.addKey({ rpm: 2 }), harness.addKey()];
    const replies = [await send(harness, one), await send(harness, other), await send(harness, one)];
    expect(statuses(replies)).toEqual([200, 200, 200]);
    // Remaining after each call: 1 of the key's 2 and 2 of the user's 3; 1 of the user's 3; none of either.
    expect(
      replies.map(({ headers }) => [headers["ratelimit-limit"], headers["ratelimit-remaining"]]),
    ).toEqual([
      ["2", "1"],
      ["3", "1"],
      ["2", "0"],
    ]);
    const refused = await send(harness, other);
    expect(refused.status).toBe(429);
    expect(refused.json.error).toMatchObject({
      code: "rate_limit_exceeded",
      message:
        "All keys of this key's owner together are limited to 3 requests per minute. Try again in 60 s.",
    });
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "ratelimit-limit": "3",
      "ratelimit-remaining": "0",
      "x-ratelimit-limit-requests": "3",
      "x-ratelimit-remaining-requests": "0",
    });
    harness.clock.at += 60_000;
    expect((await send(harness, other)).status).toBe(200);
  });

  test("does not count a request that the key's own limit refuses, and the reverse", async () => {
    const limits = { rpm: 1 };
    const harness = openGatewayHarness({ owner: () => limits });
    const [one, other] = [harness.addKey({ rpm: 2 }), harness.addKey()];
    expect(
      statuses([await send(harness, other), await send(harness, one), await send(harness, one)]),
    ).toEqual([200, 429, 429]);
    limits.rpm = 100;
    harness.change("users");
    expect(statuses([await send(harness, one), await send(harness, one), await send(harness, one)])).toEqual([
      200, 200, 429,
    ]);
    limits.rpm = 4;
    harness.change("users");
    // 3 of the user's 4 requests are used: the request that the key's limit refused is not counted.
    expect(statuses([await send(harness, other), await send(harness, other)])).toEqual([200, 429]);
  });

  test("limits tokens per minute over two keys; a call above the whole limit must not be retried", async () => {
    const harness = openGatewayHarness({ owner: () => ({ tpm: 5 }) });
    const [one, other] = [harness.addKey({ tpm: 100 }), harness.addKey()];
    const first = await send(harness, one);
    expect([
      first.headers["x-ratelimit-limit-tokens"],
      first.headers["x-ratelimit-remaining-tokens"],
    ]).toEqual(["5", "2"]);
    const refused = await send(harness, other);
    expect([refused.status, refused.headers["retry-after"], refused.headers["x-should-retry"]]).toEqual([
      429,
      "60",
      undefined,
    ]);
    expect(refused.headers).toMatchObject({
      "x-ratelimit-limit-tokens": "5",
      "x-ratelimit-remaining-tokens": "2",
    });
    expect((await send(harness, other, "one two")).status).toBe(200);
    const large = await send(harness, one, "one two three four five six");
    expect([large.status, large.headers["x-should-retry"]]).toEqual([429, "false"]);
  });

  test("limits concurrent calls over two keys, and frees their slots", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const entered = countEntries(3);
    const harness = openGatewayHarness({
      settling: () => entered.count(held),
      owner: () => ({ concurrency: 2 }),
    });
    const [one, other, third] = [harness.addKey({ concurrency: 1 }), harness.addKey(), harness.addKey()];
    const running = [send(harness, other), send(harness, third)];
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const further = Promise.all([send(harness, one), send(harness, other)]);
    await Promise.race([further, entered.all]);
    release();
    for (const refused of await further) {
      expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
      expect(refused.json.error.message).toContain(
        "All keys of this key's owner together are limited to 2 concurrent requests",
      );
    }
    expect(statuses(await Promise.all(running))).toEqual([200, 200]);
    // The refused call has freed its own key's slot too.
    expect((await send(harness, one)).status).toBe(200);
  });

  test("can be a budget, which the calls of every key reserve from", async () => {
    const budget = { totalNano: 1_000_000, dailyNano: 10_000, monthlyNano: null };
    const harness = openGatewayHarness({
      models: [
        embedModel({
          prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 },
          cacheable: false,
        }),
      ],
      owner: () => ({ budget }),
    });
    const keys = [harness.addKey(), harness.addKey({ budget: { ...budget, dailyNano: 500 } })];
    for (const key of keys) expect((await send(harness, key)).status).toBe(200);
    expect(harness.reservations.map(({ row, userBudget }) => [row.userId, userBudget])).toEqual([
      ["usr_1", budget],
      ["usr_1", budget],
    ]);
  });

  test.each([
    ["totalNano", "total"],
    ["dailyNano", "daily"],
    ["monthlyNano", "monthly"],
  ])("refuses every call, even a free one, when %s is 0", async (name, period) => {
    const budget = { totalNano: null, dailyNano: null, monthlyNano: null, [name]: 0 };
    const harness = openGatewayHarness({ owner: () => ({ budget }) });
    for (const key of [harness.addKey(), harness.addKey()]) {
      const refused = await send(harness, key);
      expect([refused.status, refused.json.error]).toEqual([
        429,
        expect.objectContaining({
          code: "insufficient_quota",
          message: `The ${period} budget of this key's owner is 0, so every request is refused. An administrator can raise it.`,
        }),
      ]);
    }
  });

  test.each([
    ["member", "An administrator can raise it."],
    ["admin", "The owner of this instance can raise it."],
  ] as const)("says who can raise the budget of a user with the role %s", async (role, raiser) => {
    const budget = { totalNano: 0, dailyNano: null, monthlyNano: null };
    const harness = openGatewayHarness({ owner: () => ({ budget, role }) });
    expect((await send(harness, harness.key)).json.error.message).toMatch(new RegExp(`${raiser}$`));
  });

  test("does not limit other users", async () => {
    const harness = openGatewayHarness({ owner: () => ({ rpm: 1 }) });
    const [mine, theirs] = [harness.addKey(), harness.addKey({ ownerId: "usr_2" })];
    expect(
      statuses([await send(harness, mine), await send(harness, theirs), await send(harness, mine)]),
    ).toEqual([200, 200, 429]);
  });
});

test.each([
  [{}, "The key's owner can raise it."],
  [{ "budget.daily_usd": "admin" }, "The key's owner can raise it."],
  [{ "budget.total_usd": "admin" }, "An administrator can raise it."],
  [{ "budget.total_usd": "owner" }, "The owner of this instance can raise it."],
] as const)("says who can raise a key's budget of 0 that was set by %j", async (limitsSetBy, raiser) => {
  const harness = openGatewayHarness();
  const budget = { totalNano: 0, dailyNano: null, monthlyNano: null };
  const refused = await harness.call(PATH, withKey(harness.addKey({ budget, limitsSetBy })));
  expect([refused.status, refused.json.error.message]).toEqual([
    429,
    `The total budget of this key is 0, so every request is refused. ${raiser}`,
  ]);
});

test("answers 429 after 120 invalid keys a minute from one address; valid keys still work", async () => {
  const harness = openGatewayHarness();
  for (let i = 0; i < 120; i++)
    expect((await harness.call(PATH, withKey("wrong", "203.0.113.9"))).status).toBe(401);
  const refused = await harness.call(PATH, withKey("wrong", "203.0.113.9"));
  expect([refused.status, Number(refused.headers["retry-after"])]).toEqual([429, 60]);
  expect((await harness.call(PATH, withKey("wrong", "203.0.113.10"))).status).toBe(401);
  expect((await harness.call(PATH, withKey(harness.key, "203.0.113.9"))).status).toBe(200);
});

test("counts addresses of one IPv6 /64 together", () => {
  expect(addressBucket("2001:db8:1:2::5")).toBe(addressBucket("2001:0db8:1:2:ffff::1"));
  expect(addressBucket("2001:db8:1:3::5")).not.toBe(addressBucket("2001:db8:1:2::5"));
  expect(addressBucket("::1")).toBe("0:0:0:0::/64");
});

test("writes the last uses of several keys in one batch after five seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const harness = openGatewayHarness();
    const second = harness.addKey();
    await harness.call(PATH, BODY);
    await harness.call(PATH, BODY);
    await harness.call(PATH, withKey(second));
    expect(harness.touched).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(harness.touched.map((batch) => [...batch.keys()])).toEqual([["key_1", "key_2"]]);
  } finally {
    vi.useRealTimers();
  }
});

test("refuses a key that is revoked while its slow request body arrives", async () => {
  const enabled = { owner: true };
  const harness = openGatewayHarness({ ownerEnabled: () => enabled.owner });
  const whileReading = () => {
    enabled.owner = false;
    harness.change("users");
    harness.clock.at += 51;
  };
  const reply = await harness.call(PATH, { ...BODY, whileReading });
  expect([reply.status, harness.rows.length]).toEqual([401, 0]);
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../lib/console/auth/sessions";
import { digestBackupCode } from "../../lib/console/auth/two-factor/codes";
import { hasCode } from "../../lib/errors";
import type { SessionRecord } from "../../lib/ports/store";
import {
  addUser,
  type ConsoleHarness,
  enrol,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { totpCode } from "../support/totp";
import { wrongCode as anyWrongCode, beginSignIn, MINUTE, STEP, signInWith } from "../support/two-factor";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const now = () => services.clock.now();
const status = async (cookie = owner) => (await harness("/api/user/2fa/status", { cookie })).json.data;
const selfStatus = async (cookie: string) => (await harness("/api/user/self", { cookie })).status;
const second = (body: object, call: object = {}) => harness("/api/user/login/2fa", { body, ...call });
const flow = (who?: { username: string; password: string }) => beginSignIn(harness, who);
const finish = (code: string, who?: { username: string; password: string }) => signInWith(harness, code, who);
const wrongCode = (secret: string, salt?: number) => anyWrongCode(secret, services.clock, salt);
const ownerId = async () => (await services.store.users.findByNameOrEmail("olivia"))?.id ?? "";

describe("sign-in with 2FA", () => {
  let secret: string;
  let backupCodes: string[];
  beforeEach(async () => {
    ({ secret, backupCodes } = await enrol(harness, services.clock, owner));
  });

  test("starts a flow with its cookie, and no session", async () => {
    const { reply, cookie, token } = await flow();
    expect(Object.keys(reply.json.data).sort()).toEqual([
      "expires_at",
      "flow_token",
      "methods",
      "require_2fa",
    ]);
    expect(reply.json.data.methods).toEqual(["totp", "backup_code"]);
    expect(Date.parse(reply.json.data.expires_at)).toBe(now() + 5 * MINUTE);
    expect(reply.setCookies).toHaveLength(1);
    expect(reply.setCookies[0]).toBe(
      `patchbay.pending=${token}; Path=/; Max-Age=300; HttpOnly; SameSite=Lax`,
    );
    for (const path of ["/api/user/self", "/api/keys", "/api/user/2fa/status", "/api/users", "/api/audit"]) {
      expect((await harness(path, { cookie })).status, path).toBe(401);
      const asSession = cookie.replace("patchbay.pending", "next-auth.session-token");
      expect((await harness(path, { cookie: asSession })).status, path).toBe(401);
    }
  });

  test("starts the session with a right code and removes the pending cookie", async () => {
    const { token } = await flow();
    const reply = await second({ code: totpCode(secret, now()), flow_token: token });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data).toMatchObject({
      username: "olivia",
      two_factor_enabled: true,
      login_method: "totp",
    });
    expect(reply.setCookies[0]).toMatch(/^next-auth\.session-token=ey/);
    expect(reply.setCookies[1]).toMatch(/^patchbay\.pending=; .*Max-Age=0/);
    expect(await selfStatus(reply.cookie)).toBe(200);
  });

  describe.each([
    ["between the two steps", (change: () => Promise<void>) => change()],
    [
      "while the code is checked",
      async (change: () => Promise<void>) => {
        const { transaction } = services.store;
        vi.spyOn(services.store, "transaction").mockImplementationOnce(async (run) => {
          await change();
          return transaction.call(services.store, run);
        });
      },
    ],
  ])("a flow expires after a change %s", (_when, schedule) => {
    /** Changes the store directly, so that no operation ends the user's flows. */
    const update = async (patch: { passwordVersion?: number; enabled?: boolean }) => {
      const user = await services.store.users.findByNameOrEmail("olivia");
      if (user === null) throw new Error("no user");
      expect(await services.store.users.update(user, patch)).not.toBeNull();
    };
    const finishAfter = async (change: () => Promise<void>, code: () => string) => {
      const { token } = await flow();
      await schedule(change);
      const sessions = (await services.store.sessions.listByUser(await ownerId())).length;
      const reply = await second({ code: code(), flow_token: token });
      expect([reply.status, reply.json.code]).toEqual([401, "flow_expired"]);
      expect(reply.setCookies.filter((one) => one.includes("=ey"))).toEqual([]);
      expect(await services.store.sessions.listByUser(await ownerId())).toHaveLength(sessions);
    };

    test("of the password", () =>
      finishAfter(
        () => update({ passwordVersion: 2 }),
        () => totpCode(secret, now()),
      ));

    test("of the user's enabled state", () =>
      finishAfter(
        () => update({ enabled: false }),
        () => totpCode(secret, now()),
      ));

    test("of the enrolment", async () => {
      // The backup code is also valid in the new enrolment, so only the change of the enrolment can refuse it.
      const code = backupCodes[0] ?? "";
      await finishAfter(
        async () => {
          const userId = await ownerId();
          const record = await services.store.twoFactors.find(userId);
          if (record === null) throw new Error("no 2FA");
          await services.store.twoFactors.delete(userId);
          await services.store.twoFactors.putPending({ ...record, enrolmentId: "another", lastStep: 0 });
          await services.store.twoFactors.enable(userId, "another", 0);
          const digest = digestBackupCode(services.cipher, userId, code);
          await services.store.twoFactors.replaceBackupCodes(userId, [digest]);
        },
        () => code,
      );
    });
  });

  test("reads the flow from its cookie, and answers 400 when the body names another", async () => {
    const [one, two] = [await flow(), await flow()];
    const code = totpCode(secret, now());
    const both = await second({ code, flow_token: one.token }, { cookie: two.cookie });
    expect(both.status).toBe(400);
    expect((await second({ code }, { cookie: two.cookie })).status).toBe(200);
  });

  test.each([
    ["surrounding spaces", (code: string) => ` ${code} `],
    ["a space inside", (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
  ])("accepts a code with %s", async (_name, form) => {
    expect((await finish(form(totpCode(secret, now())))).status).toBe(200);
  });

  test.each([-2, 2, -20])("refuses the code of the time step %i", async (steps) => {
    const reply = await finish(totpCode(secret, now() + steps * STEP));
    expect([reply.status, reply.json.code, reply.json.attempts_left]).toEqual([401, "invalid_code", 4]);
  });

  test.each([-1, 1])("accepts the code of the time step %i once", async (steps) => {
    const code = totpCode(secret, now() + steps * STEP);
    expect((await finish(code)).status).toBe(200);
    expect((await finish(code)).json.code).toBe("invalid_code");
  });

  test("refuses the code of an older time step after a newer one", async () => {
    expect((await finish(totpCode(secret, now() + STEP))).status).toBe(200);
    for (const step of [0, -1]) {
      expect((await finish(totpCode(secret, now() + step * STEP))).json.code).toBe("invalid_code");
    }
  });

  test("gives one session to fifty requests with one code over fifty flows", async () => {
    const flows = [];
    for (let i = 0; i < 50; i++) flows.push(await flow());
    const before = (await services.store.sessions.listByUser(await ownerId())).length;
    const code = totpCode(secret, now());
    const replies = await Promise.all(flows.map(({ token }) => second({ code, flow_token: token })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(replies.flatMap((reply) => reply.setCookies).filter((one) => one.includes("=ey"))).toHaveLength(1);
    expect(await services.store.sessions.listByUser(await ownerId())).toHaveLength(before + 1);
  });

  test("gives one session to fifty requests with one code over one flow", async () => {
    const { token } = await flow();
    const code = totpCode(secret, now());
    const replies = await Promise.all(Array.from({ length: 50 }, () => second({ code, flow_token: token })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
  });

  test("checks at most five of 500 concurrent wrong codes on one flow", async () => {
    const { token } = await flow();
    const replies = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        second({ code: wrongCode(secret, i * 1_000), flow_token: token }),
      ),
    );
    const codes = replies.map((reply) => reply.json.code);
    expect(codes.filter((code) => code === "invalid_code")).toHaveLength(5);
    expect(codes.filter((code) => code === "flow_expired")).toHaveLength(495);
    const left = replies.flatMap((reply) => reply.json.attempts_left ?? []);
    expect(left.sort()).toEqual([0, 1, 2, 3, 4]);
  });

  test("ends the flow at the fifth wrong code, even for the right code", async () => {
    const { token } = await flow();
    const counted = vi.spyOn(services.metrics, "count");
    for (const left of [4, 3, 2, 1, 0]) {
      const reply = await second({ code: wrongCode(secret), flow_token: token });
      expect([reply.status, reply.json.attempts_left]).toEqual([401, left]);
    }
    expect(counted.mock.calls).toEqual(Array(5).fill(["login_failures"]));
    const late = await second({ code: totpCode(secret, now()), flow_token: token });
    expect([late.status, late.json.code]).toEqual([401, "flow_expired"]);
  });

  test("accepts a flow once", async () => {
    const { token } = await flow();
    expect((await second({ code: totpCode(secret, now()), flow_token: token })).status).toBe(200);
    services.clock.advance(STEP);
    const again = await second({ code: totpCode(secret, now()), flow_token: token });
    expect(again.json.code).toBe("flow_expired");
  });

  test("ends a flow after 300 seconds", async () => {
    const [early, late] = [await flow(), await flow()];
    services.clock.advance(299_000);
    expect((await second({ code: totpCode(secret, now()), flow_token: early.token })).status).toBe(200);
    services.clock.advance(2_000);
    const reply = await second({ code: totpCode(secret, now() + STEP), flow_token: late.token });
    expect([reply.status, reply.json.code]).toEqual([401, "flow_expired"]);
  });

  test("refuses another user's code for a flow", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const enrolment = await enrol(harness, services.clock, mia.cookie);
    const { token } = await flow();
    const reply = await second({ code: totpCode(enrolment.secret, now()), flow_token: token });
    expect(reply.json.code).toBe("invalid_code");
    const backup = await second({ code: enrolment.backupCodes[0], flow_token: token });
    expect(backup.json.code).toBe("invalid_code");
  });

  test("ends a flow when the password, 2FA or the account changes", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const who = { username: "mia", password: mia.password };
    const enrolment = await enrol(harness, services.clock, mia.cookie);
    const version = async () => (await services.store.users.findById(mia.id))?.version;
    const dead = async (token: string) => {
      services.clock.advance(2 * STEP);
      const reply = await second({ code: totpCode(enrolment.secret, now()), flow_token: token });
      expect([reply.status, reply.json.code]).toEqual([401, "flow_expired"]);
    };

    const one = await flow(who);
    const password = await harness("/api/user/password", {
      body: {
        current_password: mia.password,
        new_password: "eleven grey herons wade",
        code: totpCode(enrolment.secret, now()),
      },
      cookie: mia.cookie,
    });
    expect(password.status, password.text).toBe(200);
    await dead(one.token);

    who.password = "eleven grey herons wade";
    const two = await flow(who);
    const disabled = await harness(`/api/users/${mia.id}`, {
      method: "PATCH",
      body: { enabled: false, version: await version() },
      cookie: owner,
    });
    expect(disabled.status, disabled.text).toBe(200);
    await dead(two.token);
    await harness(`/api/users/${mia.id}`, {
      method: "PATCH",
      body: { enabled: true, version: await version() },
      cookie: owner,
    });

    const three = await flow(who);
    await harness(`/api/users/${mia.id}/reset_2fa`, { body: {}, cookie: owner });
    await dead(three.token);
    expect((await harness("/api/user/login", { body: who })).json.data.require_2fa).toBeUndefined();
  });

  test("gives a missing flow the same reply as an unknown one", async () => {
    const made = await second({ code: "123456", flow_token: "y".repeat(43) });
    const none = await second({ code: "123456" });
    expect([made.status, made.text]).toEqual([401, none.text]);
  });

  test.each<[string, object]>([
    ["no code", {}],
    ["null as code", { code: null }],
    ["an empty code", { code: "" }],
    ["a number as code", { code: 123456 }],
    ["a list as code", { code: ["123456"] }],
    ["an object as code", { code: { value: "123456" } }],
    ["five digits", { code: "12345" }],
    ["seven digits", { code: "1234567" }],
    ["Arabic-Indic digits", { code: "١٢٣٤٥٦" }],
    ["a plus sign", { code: "+12345" }],
    ["an exponent", { code: "1e5" }],
    ["an additional backup_code", { code: "123456", backup_code: "AAAAA-BBBBB" }],
    ["a field that claims trust", { code: "123456", trusted: true }],
    ["a time sent by the caller", { code: "123456", ts: 1 }],
  ])("answers 400 to %s without using an attempt", async (_name, body) => {
    const { token } = await flow();
    const reply = await second({ flow_token: token, ...body });
    expect(reply.status, reply.text).toBe(400);
    expect((await second({ code: wrongCode(secret), flow_token: token })).json.attempts_left).toBe(4);
  });

  test("refuses a request from another site's page", async () => {
    const { token } = await flow();
    const headers = { origin: "https://evil.example", host: "localhost:3000" };
    const reply = await second({ code: totpCode(secret, now()), flow_token: token }, { headers });
    expect(reply.status).toBe(403);
  });

  test("accepts a backup code in any form once, also when sent twenty times concurrently", async () => {
    const [first = "", other = "", third = ""] = backupCodes;
    expect((await finish(first.toLowerCase().replace("-", " "))).json.data.login_method).toBe("backup_code");
    expect((await finish(first)).json.code).toBe("invalid_code");
    expect((await finish(other.replace("-", ""))).status).toBe(200);
    expect(await status()).toMatchObject({ backup_codes_left: 8 });
    const flows = [];
    for (let i = 0; i < 20; i++) flows.push(await flow());
    const replies = await Promise.all(flows.map(({ token }) => second({ code: third, flow_token: token })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(await status()).toMatchObject({ backup_codes_left: 7 });
  });
});

describe("the 2FA lock", () => {
  let secret: string;
  let backupCodes: string[];
  beforeEach(async () => {
    ({ secret, backupCodes } = await enrol(harness, services.clock, owner));
  });

  /** Sends wrong codes until the account is locked: half of them backup codes, at most four on one flow. */
  async function lock(): Promise<void> {
    for (let i = 0; i < 10; ) {
      const { token } = await flow();
      for (let n = 0; n < 4 && i < 10; n++, i++) {
        const code = i % 2 ? wrongCode(secret) : "ZZZZZ-ZZZZZ";
        expect((await second({ code, flow_token: token })).json.code).toBe("invalid_code");
      }
    }
  }

  test("starts after ten wrong codes over any flows and both methods, and doubles from 15 minutes to a day", async () => {
    for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1440, 1440]) {
      await lock();
      const { token } = await flow();
      const locked = await second({ code: totpCode(secret, now()), flow_token: token });
      expect(locked.status).toBe(429);
      expect(locked.headers["retry-after"]).toBe(String(minutes * 60));
      expect(locked.json).toMatchObject({ code: "rate_limited", retry_after: minutes * 60 });
      services.clock.advance(minutes * MINUTE);
    }
    expect((await finish(totpCode(secret, now()))).status).toBe(200);
    await lock();
    expect((await finish(totpCode(secret, now()))).headers["retry-after"]).toBe("900");
  });

  test("is not reported for a flow that has ended, because no wait makes its codes valid", async () => {
    const [old, used] = [await flow(), await flow()];
    for (let i = 0; i < 5; i++) await second({ code: wrongCode(secret), flow_token: used.token });
    for (let i = 0; i < 5; i++) await finish(wrongCode(secret));
    const right = (token: string) => second({ code: totpCode(secret, now()), flow_token: token });
    expect((await right(old.token)).status).toBe(429);
    expect((await right(used.token)).json.code).toBe("flow_expired");
    services.clock.advance(5 * MINUTE);
    expect((await right(old.token)).json.code).toBe("flow_expired");
  });

  test("ends when a clock that was ahead is set back", async () => {
    services.clock.advance(10 * 1440 * MINUTE);
    await lock();
    expect((await finish(totpCode(secret, now()))).status).toBe(429);
    services.clock.advance(-10 * 1440 * MINUTE);
    expect(await status()).toMatchObject({ locked_until: null });
    expect((await finish(totpCode(secret, now()))).status).toBe(200);
  });

  test("refuses backup codes; active sessions stay valid and show the lock", async () => {
    await lock();
    expect((await finish(backupCodes[0] ?? "")).status).toBe(429);
    expect(await selfStatus(owner)).toBe(200);
    expect(await status()).toMatchObject({
      backup_codes_left: 10,
      locked_until: new Date(now() + 15 * MINUTE).toISOString(),
    });
    services.clock.advance(15 * MINUTE);
    expect(await status()).toMatchObject({ locked_until: null });
  });

  test("does not start if right codes come between wrong ones", async () => {
    for (let round = 0; round < 3; round++) {
      const { token } = await flow();
      for (let i = 0; i < 4; i++) await second({ code: wrongCode(secret), flow_token: token });
      expect((await second({ code: totpCode(secret, now()), flow_token: token })).status).toBe(200);
      services.clock.advance(2 * STEP);
    }
    expect(await status()).toMatchObject({ locked_until: null });
  });

  test("applies to all flows together: at most ten of 200 wrong codes over 50 flows are checked", async () => {
    const flows = [];
    for (let i = 0; i < 50; i++) flows.push(await flow());
    const replies = await Promise.all(
      flows.flatMap(({ token }) =>
        Array.from({ length: 4 }, () => second({ code: wrongCode(secret), flow_token: token })),
      ),
    );
    expect(replies.filter((reply) => reply.json.code === "invalid_code")).toHaveLength(10);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(190);
  });

  test("can be cleared only by an administrator of a higher role", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    const enrolment = await enrol(harness, services.clock, mia.cookie);
    const who = { username: "mia", password: mia.password };
    for (let i = 0; i < 10; i++) await finish(wrongCode(enrolment.secret), who);
    expect((await finish(totpCode(enrolment.secret, now()), who)).status).toBe(429);
    const path = `/api/users/${mia.id}/unlock`;
    expect((await harness(path, { body: {}, cookie: mia.cookie })).status).toBe(403);
    expect((await harness(path, { body: {}, cookie: owner })).status).toBe(200);
    expect((await finish(totpCode(enrolment.secret, now()), who)).status).toBe(200);
  });
});

describe("a session starts", () => {
  const METHODS: readonly SessionRecord["method"][] = ["password", "setup", "oauth", "totp", "backup_code"];
  const VISITOR = { device: "test", peer: { address: null, isLocal: true, isSecure: false } };
  /** The methods that start a session of the owner now; the others write nothing. */
  const starting = async (): Promise<string[]> => {
    const { store } = services;
    const user = await store.users.findById(await ownerId());
    if (user === null) throw new Error("no user");
    const started: string[] = [];
    for (const method of METHODS) {
      const before = (await store.sessions.listByUser(user.id)).length;
      const outcome = await store
        .transaction((tx) => startSession(tx, { ...services, ...VISITOR }, user, method))
        .catch((error: unknown) => error);
      const written = (await store.sessions.listByUser(user.id)).length - before;
      if (written === 1) started.push(method);
      else expect([method, written, hasCode(outcome, "internal")]).toEqual([method, 0, true]);
    }
    return started;
  };

  test("with any method for a user without 2FA, also with a pending enrolment", async () => {
    expect(await starting()).toEqual(METHODS);
    expect((await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).status).toBe(200);
    expect(await starting()).toEqual(METHODS);
  });

  test("only with a code for a user with 2FA", async () => {
    await enrol(harness, services.clock, owner);
    expect(await starting()).toEqual(["totp", "backup_code"]);
  });

  test("with no method for a disabled user", async () => {
    const user = await services.store.users.findByNameOrEmail("olivia");
    if (user === null) throw new Error("no user");
    await services.store.users.update(user, { enabled: false });
    expect(await starting()).toEqual([]);
  });
});

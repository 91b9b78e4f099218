import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ConsoleHarness,
  enrol,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { totpCode } from "../support/totp";
import { wrongCode as anyWrongCode, MINUTE, STEP, signInWith } from "../support/two-factor";

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
const finish = (code: string, who?: { username: string; password: string }) => signInWith(harness, code, who);
const wrongCode = (secret: string, salt?: number) => anyWrongCode(secret, services.clock, salt);
const ownerId = async () => (await services.store.users.findByNameOrEmail("olivia"))?.id ?? "";

describe("2FA enrolment", () => {
  test("is off, pending and enabled in turn", async () => {
    expect(await status()).toEqual({
      enabled: false,
      pending: false,
      backup_codes_left: 0,
      locked_until: null,
    });
    const { data } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json;
    expect(Object.keys(data).sort()).toEqual(["otpauth_uri", "secret"]);
    expect(data.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(data.otpauth_uri).toContain(`secret=${data.secret}`);
    expect(await status()).toMatchObject({ enabled: false, pending: true, backup_codes_left: 0 });
    const code = totpCode(data.secret, now());
    const { backup_codes: codes } = (await harness("/api/user/2fa/enable", { body: { code }, cookie: owner }))
      .json.data;
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const one of codes) expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
    expect(await status()).toMatchObject({ enabled: true, pending: false, backup_codes_left: 10 });
    for (const path of ["/api/user/self", `/api/users/${await ownerId()}`])
      expect((await harness(path, { cookie: owner })).json.data.two_factor_enabled).toBe(true);
  });

  test("never stores the secret or backup codes in clear, nor in the audit log", async () => {
    const { secret, backupCodes } = await enrol(harness, services.clock, owner);
    const dump = readStoreBytes(services.dataDirectory);
    for (const one of [secret, ...backupCodes, ...backupCodes.map((code) => code.replace("-", ""))]) {
      expect(dump.includes(one)).toBe(false);
    }
  });

  test("needs the password once the sign-in is older than ten minutes", async () => {
    services.clock.advance(10 * MINUTE + 1);
    const bare = await harness("/api/user/2fa/setup", { body: {}, cookie: owner });
    expect(bare.status).toBe(400);
    expect(bare.json.issues[0].path).toBe("password");
    const wrong = await harness("/api/user/2fa/setup", {
      body: { password: "wrong wrong wrong" },
      cookie: owner,
    });
    expect([wrong.status, wrong.json.code]).toEqual([403, "invalid_credentials"]);
    const right = await harness("/api/user/2fa/setup", { body: { password: OWNER.password }, cookie: owner });
    expect(right.status).toBe(200);
  });

  test("needs no code at sign-in while pending, and its codes are refused", async () => {
    const { secret } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data;
    const login = await harness("/api/user/login", { body: OWNER });
    expect(login.status).toBe(200);
    expect(login.json.data.require_2fa).toBeUndefined();
    const token = { code: totpCode(secret, now()), flow_token: "x".repeat(43) };
    expect((await second(token)).json.code).toBe("flow_expired");
    const off = await harness("/api/user/2fa/disable", {
      body: { password: OWNER.password, code: totpCode(secret, now()) },
      cookie: owner,
    });
    expect(off.status).toBe(409);
  });

  test("invalidates the secret of a previous enrolment", async () => {
    const first = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data.secret;
    await harness("/api/user/2fa/setup", { body: {}, cookie: owner });
    const old = { body: { code: totpCode(first, now()) }, cookie: owner };
    expect((await harness("/api/user/2fa/enable", old)).status).toBe(400);
    expect(await status()).toMatchObject({ enabled: false, pending: true });
  });

  test("allows ten wrong codes in ten minutes, then refuses even the right one", async () => {
    const { secret } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data;
    const enable = async (code: string) =>
      (await harness("/api/user/2fa/enable", { body: { code }, cookie: owner })).status;
    const wrong = wrongCode(secret);
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push(await enable(wrong));
    expect(answers).toEqual([...Array(10).fill(400), 429]);
    expect(await enable(totpCode(secret, now()))).toBe(429);
    services.clock.advance(10 * MINUTE);
    expect(await enable(totpCode(secret, now()))).toBe(200);
  });

  test("returns one set of backup codes for ten concurrent requests", async () => {
    const { secret } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data;
    const call = { body: { code: totpCode(secret, now()) }, cookie: owner };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => harness("/api/user/2fa/enable", call)),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await status()).toMatchObject({ backup_codes_left: 10 });
  });

  test("does not accept its code for a sign-in afterwards", async () => {
    const { secret } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data;
    const code = totpCode(secret, now());
    expect((await harness("/api/user/2fa/enable", { body: { code }, cookie: owner })).status).toBe(200);
    expect((await finish(code)).json.code).toBe("invalid_code");
  });

  test("cannot be completed when none is pending, with a wrong code, or twice", async () => {
    const call = (code: string) => harness("/api/user/2fa/enable", { body: { code }, cookie: owner });
    expect((await call("123456")).status).toBe(409);
    const { secret } = (await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).json.data;
    expect((await call(wrongCode(secret))).status).toBe(400);
    expect((await call("AAAAA-BBBBB")).status).toBe(400);
    await enrol(harness, services.clock, owner);
    const again = await call("123456");
    expect(again.status).toBe(409);
    expect(again.json.message).toBe("Two-factor authentication is already enabled.");
    expect((await harness("/api/user/2fa/setup", { body: {}, cookie: owner })).status).toBe(409);
  });

  test("ends the user's other sessions and pending sign-ins, but not the current session", async () => {
    const other = await harness("/api/user/login", { body: OWNER });
    await enrol(harness, services.clock, owner);
    expect(await selfStatus(other.cookie)).toBe(401);
    expect(await selfStatus(owner)).toBe(200);
  });
});

describe("disabling 2FA and new backup codes", () => {
  let secret: string;
  let backupCodes: string[];
  beforeEach(async () => {
    ({ secret, backupCodes } = await enrol(harness, services.clock, owner));
  });
  const post = (what: string, body: object) => harness(`/api/user/2fa/${what}`, { body, cookie: owner });

  test.each(["disable", "backup_codes"])(
    "%s needs password and code: answers 400 without and 403 if wrong",
    async (what) => {
      const code = totpCode(secret, now());
      for (const body of [{}, { code }, { password: OWNER.password }]) {
        expect((await post(what, body)).status).toBe(400);
      }
      for (const body of [
        { password: "wrong wrong wrong", code },
        { password: OWNER.password, code: wrongCode(secret) },
        { password: OWNER.password, code: "ZZZZZ-ZZZZZ" },
      ]) {
        const reply = await post(what, body);
        expect([reply.status, reply.json.code]).toEqual([403, "invalid_credentials"]);
      }
      expect(await status()).toMatchObject({ enabled: true, backup_codes_left: 10 });
      expect(await selfStatus(owner)).toBe(200);
      const { items } = await services.store.audit.list({ limit: 3, cursor: null, q: null });
      expect(items.map((row) => row.action).sort()).toEqual(["2fa.fail", "2fa.fail", "password.fail"]);
    },
  );

  test("disabling ends the other sessions, and sign-in needs no code", async () => {
    const other = await finish(totpCode(secret, now()));
    services.clock.advance(2 * STEP);
    const off = await post("disable", { password: OWNER.password, code: totpCode(secret, now()) });
    expect(off.status, off.text).toBe(200);
    expect(off.json.data).toBeNull();
    expect(await selfStatus(other.cookie)).toBe(401);
    expect(await selfStatus(owner)).toBe(200);
    expect(await status()).toMatchObject({ enabled: false, pending: false, backup_codes_left: 0 });
    expect((await harness("/api/user/login", { body: OWNER })).json.data.require_2fa).toBeUndefined();
    expect((await post("disable", { password: OWNER.password, code: "123456" })).status).toBe(409);
  });

  test("the code that created new backup codes cannot be reused to disable 2FA", async () => {
    const code = totpCode(secret, now());
    const renewed = await post("backup_codes", { password: OWNER.password, code });
    expect(renewed.status).toBe(200);
    expect((await post("disable", { password: OWNER.password, code })).status).toBe(403);
  });

  test("new backup codes invalidate the old ones", async () => {
    const renewed = await post("backup_codes", { password: OWNER.password, code: backupCodes[0] });
    expect(renewed.json.data.backup_codes).toHaveLength(10);
    expect((await finish(backupCodes[1] ?? "")).json.code).toBe("invalid_code");
    expect((await finish(renewed.json.data.backup_codes[0])).status).toBe(200);
    expect(await status()).toMatchObject({ backup_codes_left: 9 });
  });

  test("ten wrong codes with the right password lock both disabling 2FA and sign-in", async () => {
    const wrong = { password: OWNER.password, code: wrongCode(secret) };
    for (let i = 0; i < 10; i++) expect((await post("disable", wrong)).status).toBe(403);
    expect((await post("disable", wrong)).status).toBe(429);
    expect((await finish(totpCode(secret, now()))).status).toBe(429);
  });

  test("wrong passwords at sign-in do not block password checks of the signed-in user", async () => {
    for (let i = 0; i < 12; i++) {
      await harness("/api/user/login", { body: { username: "olivia", password: "wrong wrong wrong" } });
    }
    expect((await harness("/api/user/login", { body: OWNER })).status).toBe(429);
    const off = await post("disable", { password: OWNER.password, code: totpCode(secret, now()) });
    expect(off.status, off.text).toBe(200);
  });

  test("ten wrong passwords delay the next attempt, even with the right password", async () => {
    const code = totpCode(secret, now());
    for (let i = 0; i < 10; i++) {
      expect((await post("disable", { password: "wrong wrong wrong", code })).status).toBe(403);
    }
    const delayed = await post("disable", { password: OWNER.password, code });
    expect([delayed.status, delayed.headers["retry-after"]]).toEqual([429, "30"]);
  });
});

test("audits every step of enrolment and sign-in with its method, in an intact chain", async () => {
  const { secret, backupCodes } = await enrol(harness, services.clock, owner);
  await finish(totpCode(secret, now()));
  await finish(backupCodes[0] ?? "");
  await finish(wrongCode(secret));
  const { items } = await services.store.audit.list({ limit: 20, cursor: null, q: null });
  expect(items.map((row) => [row.action, row.detail.factor ?? null]).reverse()).toEqual([
    ["setup.claim", null],
    ["2fa.setup", null],
    ["2fa.enable", null],
    ["login.ok", "totp"],
    ["login.ok", "backup_code"],
    ["login.fail", "second"],
  ]);
  expect(items[0]).toMatchObject({ actor: "anonymous", target: await ownerId() });
  expect((await services.store.audit.verify()).brokenAt).toBeNull();
});

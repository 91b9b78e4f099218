import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OWNER, type Product, setUp, startProduct } from "../../support/product";
import { sendRaw } from "../../support/raw-request";
import { totpCode } from "../../support/totp";

let product: Product;
let secret: string;
let backupCodes: string[];

const limits = { loginAttemptsPerMinute: 100_000 };

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return sendRaw(product.url, {
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
const dataOf = (json: unknown) => (json as { data: Record<string, unknown> }).data;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_LIMITS: JSON.stringify(limits) } });
  const cookie = await setUp(product.url);
  secret = String(dataOf((await post("/api/user/2fa/setup", {}, { cookie })).json).secret);
  // Enabling 2FA uses up the code of the previous time step, so that the current code stays valid.
  const enabled = await post(
    "/api/user/2fa/enable",
    { code: totpCode(secret, Date.now() - 30_000) },
    { cookie },
  );
  expect(enabled.status, enabled.text).toBe(200);
  backupCodes = dataOf(enabled.json).backup_codes as string[];
});
afterAll(() => product?.close());

/** Starts a sign-in flow of the owner that has passed the password step. */
async function flow(): Promise<{ token: string; cookie: string }> {
  const reply = await post("/api/user/login", OWNER);
  expect(reply.status, reply.text).toBe(200);
  const data = dataOf(reply.json);
  expect(data.require_2fa).toBe(true);
  const cookie = (reply.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  return { token: String(data.flow_token), cookie };
}

describe("a 2FA sign-in flow", () => {
  test("answers 401 flow_expired to a code without a flow token", async () => {
    const reply = await post("/api/user/login/2fa", { code: "123456" });
    expect(reply.status).toBe(401);
    expect(reply.json).toMatchObject({ success: false, code: "flow_expired" });
  });

  test("answers flow_expired to an unknown flow token", async () => {
    const reply = await post("/api/user/login/2fa", { code: "123456", flow_token: "x".repeat(43) });
    expect(reply.json).toMatchObject({ code: "flow_expired" });
  });

  test("answers 400 to different flows in the body and in the cookie", async () => {
    const [one, two] = [await flow(), await flow()];
    const reply = await post(
      "/api/user/login/2fa",
      { code: "123456", flow_token: one.token },
      { cookie: two.cookie },
    );
    expect(reply.status).toBe(400);
  });

  test("gives no access with the flow cookie of the password step", async () => {
    const { cookie } = await flow();
    for (const path of ["/api/user/self", "/api/keys", "/api/user/sessions"]) {
      expect((await sendRaw(product.url, { method: "GET", path, headers: { cookie } })).status).toBe(401);
    }
  });

  test("answers 403 to another site's page", async () => {
    const { token } = await flow();
    const reply = await post(
      "/api/user/login/2fa",
      { code: "123456", flow_token: token },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    );
    expect(reply.status).toBe(403);
  });
});

describe("2FA codes at sign-in", () => {
  /** One flow for all malformed codes, which must not use up its attempts. */
  let shared: string | undefined;
  test.each<[string, unknown]>([
    ["none", undefined],
    ["null", null],
    ["empty", ""],
    ["a number", 123456],
    ["a list", ["123456"]],
    ["an object", { value: "123456" }],
    ["five digits", "12345"],
    ["seven digits", "1234567"],
    ["Arabic-Indic digits", "١٢٣٤٥٦"],
    ["a plus sign", "+12345"],
    ["a minus sign", "-12345"],
    ["an exponent", "1e5"],
    ["hexadecimal", "0x1E240"],
  ])("answers 400 to a malformed code: %s", async (_name, code) => {
    shared ??= (await flow()).token;
    const reply = await post("/api/user/login/2fa", {
      flow_token: shared,
      ...(code === undefined ? {} : { code }),
    });
    expect(reply.status, reply.text).toBe(400);
  });

  test("does not count a malformed code as an attempt", async () => {
    const wrong = await post("/api/user/login/2fa", {
      flow_token: shared,
      code: totpCode(secret, Date.now() + 3_600_000),
    });
    expect(wrong.json).toMatchObject({ code: "invalid_code", attempts_left: 4 });
  });

  test.each<[string, object]>([
    ["backup_code", { backup_code: "AAAAA-BBBBB" }],
    ["twofa", { twofa: true }],
    ["trusted", { trusted: true }],
    ["ts", { ts: 1 }],
  ])("answers 400 to the extra field %s", async (_name, extra) => {
    const { token } = await flow();
    expect((await post("/api/user/login/2fa", { code: "123456", flow_token: token, ...extra })).status).toBe(
      400,
    );
  });

  test.each([
    ["two steps late", -60_000],
    ["two steps early", 75_000],
  ])("refuses a code that is %s", async (_name, offset) => {
    const { token } = await flow();
    const reply = await post("/api/user/login/2fa", {
      code: totpCode(secret, Date.now() + offset),
      flow_token: token,
    });
    expect(reply.json).toMatchObject({ code: "invalid_code" });
  });

  test("accepts a backup code once, in lower case and with a space for its dash", async () => {
    const code = backupCodes[0]?.toLowerCase().replace("-", " ");
    const first = await post("/api/user/login/2fa", { code, flow_token: (await flow()).token });
    expect(first.status, first.text).toBe(200);
    expect(first.json).toMatchObject({ data: { login_method: "backup_code" } });
    const second = await post("/api/user/login/2fa", { code, flow_token: (await flow()).token });
    expect(second.json).toMatchObject({ code: "invalid_code" });
  });

  test("answers 401 to a code for an unknown flow", async () => {
    const reply = await post("/api/user/login/2fa", { code: "123456", flow_token: "y".repeat(43) });
    expect(reply.status).toBe(401);
  });
});

import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readGuide } from "../../app/(console)/docs/read-guide";
import { BACKOFF_MS, deliverAlerts } from "../../lib/console/alerts/deliver";
import { restoreCircuits } from "../../lib/console/alerts/restore";
import { watchAlerts } from "../../lib/console/alerts/watch";
import { decryptWebhookUrl, WEBHOOKS } from "../../lib/console/alerts/webhook-credentials";
import { ALERT_RETENTION_MS, sweepExpired } from "../../lib/console/auth/sweep-expired";
import { AppError } from "../../lib/errors";
import { digestKey } from "../../lib/gateway/admission/key-format";
import { reserveBudget } from "../../lib/gateway/metering/reserve-budget";
import { createGatewayState } from "../../lib/gateway/state";
import { UpstreamProgress } from "../../lib/ports/upstream-progress";
import { createContainer } from "../../lib/server/process/container";
import { readEnvironment } from "../../lib/server/process/env";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { NO_BUDGET, PERIOD, usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { startUpstream, type Upstream } from "../support/upstream/server";

interface Received {
  headers: IncomingMessage["headers"];
  url: string;
  text: string;
}

/** A webhook receiver on this machine; it answers with the current `status`. */
class Receiver {
  status = 204;
  received: Received[] = [];
  #server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      this.received.push({
        headers: req.headers,
        url: req.url ?? "",
        text: Buffer.concat(chunks).toString(),
      });
      res.writeHead(this.status, this.status === 302 ? { location: "http://127.0.0.1:1/" } : {}).end();
    });
  });
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    // A server on TCP: the address is an object.
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const FULL = { freeBytes: 1, totalBytes: 100 };
const FREE = { freeBytes: 50, totalBytes: 100 };

let receiver: Receiver;
let target: string;
let services: TestServices;
let harness: ConsoleHarness;
let owner: string;

async function start(webhookAllow: string[], upstreamAllow: string[] = []): Promise<void> {
  services = await testServices({ webhookAllow, upstreamAllow });
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
}
beforeEach(async () => {
  receiver = new Receiver();
  target = await receiver.open();
  await start([target]);
});
afterEach(async () => {
  await services.close();
  await receiver.close();
});

const alerts = async (query = "", cookie = owner) =>
  (await harness(`/api/alerts${query}`, { cookie })).json.data.items;
const post = (path: string, cookie = owner) => harness(`/api/alerts${path}`, { body: {}, cookie });

/** Sets the webhook URL and returns the new signing secret. */
async function setWebhook(url: string): Promise<string> {
  const { alerts: rules } = (await harness("/api/settings", { cookie: owner })).json.data;
  const body = { alerts: { ...rules, webhook_url: url } };
  const saved = await changeSettings(harness, owner, body);
  expect(saved.status, saved.text).toBe(200);
  const made = await post("/webhook/secret");
  expect(made.status, made.text).toBe(200);
  return made.json.data.secret;
}

/** Reads and changes the alert settings. */
const readRules = async () => (await harness("/api/settings", { cookie: owner })).json.data.alerts;
const changeRules = (rules: object) => changeSettings(harness, owner, { alerts: rules });

/** Expects that a URL is refused at its field when it is saved, and that nothing would be sent to it. */
async function expectRefused(url: string, field: "webhook_url" | "slack_url" = "webhook_url"): Promise<void> {
  const { status, json } = await changeRules({ ...(await readRules()), [field]: url });
  expect([status, json.code, json.issues?.map((issue: { path: string }) => issue.path)], url).toEqual([
    400,
    "invalid",
    [`alerts.${field}`],
  ]);
  const message = { url, headers: {}, body: {}, timeoutMs: 5_000 };
  expect(await services.webhook.post(message), url).toBe("address_refused");
}

/** Verifies the signature as the documentation describes. */
function isSigned({ headers, text }: Received, secret: string, now: number): boolean {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-patchbay-signature"])) ?? [];
  const expected = createHmac("sha256", secret).update(`${t}.${text}`).digest("hex");
  return v1 === expected && Math.abs(now / 1_000 - Number(t)) <= 1;
}

describe("alerts", () => {
  test("a full disk opens an alert, which resolves when space is free again", async () => {
    await watchAlerts(services, FULL);
    await watchAlerts(services, FULL);
    const [open, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(open).toMatchObject({
      kind: "disk",
      state: "opened",
      subject: "",
      message: "Only 1 % of the disk of the database is free.",
      detail: { percent: 1, threshold: 5 },
      resolved_at: null,
      delivery: { state: "none", attempts: 0, error: null },
    });
    expect((await harness("/api/alerts/summary", { cookie: owner })).json.data).toMatchObject({
      open: 1,
      unseen: 1,
    });
    services.clock.advance(60_000);
    await watchAlerts(services, FREE);
    expect(await alerts("?state=opened")).toEqual([]);
    expect(await alerts("?state=resolved")).toMatchObject([
      { id: open.id, state: "resolved", resolved_at: new Date(services.clock.now()).toISOString() },
    ]);
  });

  test("a seen alert stays open and is no longer counted as new", async () => {
    await watchAlerts(services, FULL);
    const [open] = await alerts();
    expect((await post(`/${open.id}/seen`)).json.data.seen_at).not.toBeNull();
    const summary = (await harness("/api/alerts/summary", { cookie: owner })).json.data;
    expect(summary).toMatchObject({ open: 1, unseen: 0 });
    expect((await post("/alt_unknown/seen")).status).toBe(404);
  });

  test("a nearly spent and a spent budget count as one alert", async () => {
    const base = {
      subject: "key_1:daily",
      detail: {},
      openedAt: services.clock.now(),
      delivery: "none",
    } as const;
    await services.store.alerts.raise({ id: "alt_1", kind: "budget_nearly_spent", ...base });
    await services.store.alerts.raise({ id: "alt_2", kind: "budget_spent", ...base });
    const summary = (await harness("/api/alerts/summary", { cookie: owner })).json.data;
    expect(summary).toMatchObject({ open: 1, unseen: 1 });
  });

  test("deletes a resolved alert after ninety days", async () => {
    await watchAlerts(services, FULL);
    await watchAlerts(services, FREE);
    const listed = async () =>
      (await services.store.alerts.list({ limit: 9, cursor: null, isOpen: false })).items.length;
    services.clock.advance(ALERT_RETENTION_MS);
    await sweepExpired(services);
    expect(await listed()).toBe(1);
    services.clock.advance(1);
    await sweepExpired(services);
    expect(await listed()).toBe(0);
  });

  test("disabling a rule resolves its alerts", async () => {
    await watchAlerts(services, FULL);
    const { alerts: rules } = (await harness("/api/settings", { cookie: owner })).json.data;
    const body = { alerts: { ...rules, disk_free_percent: null } };
    await changeSettings(harness, owner, body);
    await watchAlerts(services, FULL);
    expect(await alerts("?state=opened")).toEqual([]);
  });

  test("members cannot read or change alerts", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    for (const path of ["", "/summary"])
      expect((await harness(`/api/alerts${path}`, { cookie: mia.cookie })).status).toBe(403);
    for (const path of ["/alt_1/seen", "/webhook/secret", "/webhook/test"])
      expect((await post(path, mia.cookie)).status).toBe(403);
    expect((await harness("/api/alerts")).status).toBe(401);
  });
});

describe("the webhook", () => {
  test("gets a signed message when an alert opens and when it resolves", async () => {
    const secret = await setWebhook(`http://${target}/hooks/patchbay?team=night`);
    await watchAlerts(services, FULL);
    services.clock.advance(15_000);
    await watchAlerts(services, FREE);
    expect(receiver.received).toHaveLength(2);
    const [open] = await alerts();
    for (const one of receiver.received) {
      expect(one.url).toBe("/hooks/patchbay?team=night");
      expect(one.headers["content-type"]).toBe("application/json");
      expect(
        isSigned(one, secret, services.clock.now() - 15_000) || isSigned(one, secret, services.clock.now()),
      ).toBe(true);
      expect(isSigned(one, "whsec_another", services.clock.now())).toBe(false);
    }
    const [first, second] = receiver.received.map((one) => JSON.parse(one.text));
    expect(first).toEqual({
      id: open.id,
      kind: "disk",
      subject: "",
      subject_name: null,
      state: "opened",
      at: open.opened_at,
      message: "Only 1 % of the disk of the database is free.",
      detail: expect.objectContaining({ percent: 1 }),
      opened_at: open.opened_at,
      resolved_at: null,
    });
    expect(second).toMatchObject({ id: open.id, state: "resolved", at: open.resolved_at });
    expect(open.delivery).toMatchObject({ state: "delivered", attempts: 1, error: null });
  });

  test("gets at most thirty messages a minute, and the rest later", async () => {
    await setWebhook(`http://${target}/`);
    const openedAt = services.clock.now();
    for (let index = 0; index < 45; index++)
      await services.store.alerts.raise({
        id: `alt_${index}`,
        kind: "budget_spent",
        subject: `key_${index}:total`,
        detail: {},
        openedAt,
        delivery: "pending",
      });
    const deliveredAfter = async (ms: number) => {
      services.clock.advance(ms);
      await deliverAlerts(services);
      return receiver.received.length;
    };
    const sent: number[] = [];
    for (const ms of [0, 15_000, 15_000, 15_000, 15_000, 15_000]) sent.push(await deliveredAfter(ms));
    expect(sent).toEqual([10, 20, 30, 30, 40, 45]);
  });

  test("is retried after a 500 with growing delays, then given up", async () => {
    await setWebhook(`http://${target}/`);
    receiver.status = 500;
    await watchAlerts(services, FULL);
    expect((await alerts())[0].delivery).toMatchObject({
      state: "pending",
      attempts: 1,
      error: "status_500",
    });
    services.clock.advance((BACKOFF_MS[0] ?? 0) - 1);
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(1);
    services.clock.advance(1);
    receiver.status = 200;
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(2);
    expect((await alerts())[0].delivery).toMatchObject({ state: "delivered", attempts: 2, error: null });

    receiver.status = 503;
    await watchAlerts(services, FREE);
    for (const waitMs of BACKOFF_MS) {
      services.clock.advance(waitMs);
      await watchAlerts(services, FREE);
    }
    // The owner's session has expired meanwhile, so the alert is read from the store.
    const { items } = await services.store.alerts.list({ limit: 1, cursor: null, isOpen: null });
    expect(items).toMatchObject([
      {
        delivery: "failed",
        deliveryAttempts: BACKOFF_MS.length + 1,
        deliveryDueAt: null,
        deliveryError: "status_503",
      },
    ]);
    const failures = services.logged
      .filter((line) => line.includes("webhook_failed"))
      .map((line) => JSON.parse(line));
    const failed = { alert: items[0]?.id, kind: "signed" };
    expect(failures).toMatchObject([
      { ...failed, code: "status_500", attempts: 1, state: "retry" },
      ...BACKOFF_MS.map((_, index) => ({ ...failed, attempts: index + 1, state: "retry" })),
      { ...failed, code: "status_503", attempts: BACKOFF_MS.length + 1, state: "given_up" },
    ]);
  });

  test("follows no redirect", async () => {
    await setWebhook(`http://${target}/`);
    receiver.status = 302;
    expect((await post("/webhook/test")).json.data).toMatchObject({ ok: false, error: "redirect" });
  });

  test("never goes to a private address that is not allowed, in any notation", async () => {
    await services.close();
    await start([]);
    const port = target.split(":")[1];
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "169.254.169.254"])
      await expectRefused(`http://${host}:${port}/`);
    await expectRefused(`https://127.0.0.1:${port}/`);
    // A name is resolved only when a message is sent.
    await setWebhook(`https://localhost:${port}/`);
    await watchAlerts(services, FULL);
    expect((await alerts())[0].delivery).toMatchObject({ state: "pending", error: "address_refused" });
    expect(receiver.received).toEqual([]);
  });

  test("does not go to a private address that is allowed only for channels", async () => {
    await services.close();
    await start([], [target]);
    await harness("/api/upstreams/allowed", {
      body: { base_url: `http://${target}/v1`, password: OWNER.password },
      cookie: owner,
    });
    await expectRefused(`http://${target}/any/path`);
    expect(receiver.received).toEqual([]);
  });

  test("takes its allowed private hosts from PATCHBAY_WEBHOOK_ALLOW, not from PATCHBAY_UPSTREAM_ALLOW", async () => {
    const postWith = async (variables: Record<string, string>) => {
      const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-webhook-"));
      const silent = { PATCHBAY_DATA_DIR: dataDirectory, PATCHBAY_LOG_LEVEL: "silent" };
      const { services: own, close } = await createContainer(readEnvironment({ ...silent, ...variables }));
      try {
        return await own.webhook.post({ url: `http://${target}/`, headers: {}, body: {}, timeoutMs: 5_000 });
      } finally {
        await close();
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    };
    expect(await postWith({ PATCHBAY_WEBHOOK_ALLOW: target })).toBeNull();
    expect(await postWith({ PATCHBAY_UPSTREAM_ALLOW: target })).toBe("address_refused");
  });

  test("does not allow channels to use the private hosts allowed for webhooks", async () => {
    const body = {
      name: "Loopback",
      provider: "openai",
      base_url: `http://${target}/v1`,
      keys: ["sk-upstream-0123456789abcdef"],
      models: [{ name: "tts-1", upstream_name: "tts-1" }],
    };
    const reply = await harness("/api/channels", { body, cookie: owner });
    expect([reply.status, reply.json.issues?.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      ["base_url"],
    ]);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:169.254.169.254]/",
    "http://metadata.google.internal/",
  ])("never goes to %s, even when that address is allowed", async (url) => {
    await services.close();
    await start(["169.254.0.0/16", "fd00::/8", "169.254.169.254", "metadata.google.internal:80"]);
    await expectRefused(url);
  });

  test("refuses a URL with a user name or password, which would not be sent", async () => {
    const { status, json } = await changeRules({
      ...(await readRules()),
      webhook_url: `http://robot:secret@${target}/`,
    });
    expect([status, json.issues]).toEqual([
      400,
      [
        {
          path: "alerts.webhook_url",
          message: expect.stringMatching(/^Must not have a user name or password/),
        },
      ],
    ]);
  });

  test("a test message returns its outcome, and needs a URL and a secret", async () => {
    expect((await post("/webhook/test")).status).toBe(400);
    const secret = await setWebhook(`http://${target}/`);
    expect((await post("/webhook/test")).json.data).toMatchObject({ ok: true, error: null });
    const [sent] = receiver.received;
    expect(sent && isSigned(sent, secret, services.clock.now())).toBe(true);
    expect(JSON.parse(sent?.text ?? "")).toMatchObject({ kind: "test", state: "opened" });
    receiver.status = 404;
    expect((await post("/webhook/test")).json.data).toMatchObject({ ok: false, error: "status_404" });
  });

  test("shows the webhook secret once, stores it encrypted, and replaces it with the next one", async () => {
    const first = await setWebhook(`http://${target}/`);
    expect(first).toMatch(/^whsec_[0-9A-Za-z]{40}$/);
    const second = (await post("/webhook/secret")).json.data.secret;
    expect(second).not.toBe(first);
    await post("/webhook/test");
    const [sent] = receiver.received;
    expect(sent && isSigned(sent, second, services.clock.now())).toBe(true);
    expect(sent && isSigned(sent, first, services.clock.now())).toBe(false);
    for (const path of ["/api/settings", "/api/alerts/summary", "/api/audit"]) {
      const reply = await harness(path, { cookie: owner });
      expect(reply.text).not.toContain("whsec_");
    }
    expect(readStoreBytes(services.dataDirectory).includes(second)).toBe(false);
    expect(services.logged.join()).not.toContain("whsec_");
  });

  test("that cannot be decrypted leaves the settings readable, and can be replaced", async () => {
    await setWebhook(`http://${target}/signed`);
    await services.store.settings.put("alerts_webhook_url", "changed");
    const rules = await readRules();
    expect(rules.webhook_url).toBe("https://undecryptable.invalid/****");
    expect((await changeRules({ ...rules, slack_url: `http://${target}/slack` })).status).toBe(200);
    expect((await services.store.settings.all()).alerts_webhook_url).toBe("changed");
    await setWebhook(`http://${target}/other`);
    expect((await readRules()).webhook_url).toBe(`http://${target}/****`);
  });

  test.each(["alerts_webhook_url", "alerts_webhook_secret"])(
    "gets no test message while %s cannot be decrypted",
    async (setting) => {
      await setWebhook(`http://${target}/signed`);
      await services.store.settings.put(setting, "changed");
      const { status, json } = await post("/webhook/test");
      expect([status, json.data]).toMatchObject([200, { ok: false, error: "undecryptable" }]);
    },
  );

  test("keeps its URL encrypted at rest and shows host and last characters only", async () => {
    const url = `http://${target}/services/T0/very-secret-path?team=night`;
    const masked = `http://${target}/****ight`;
    await setWebhook(url);
    expect((await readRules()).webhook_url).toBe(masked);
    const changed = await changeRules({ ...(await readRules()), disk_free_percent: 7 });
    expect(changed.json.data.alerts).toMatchObject({ webhook_url: masked, disk_free_percent: 7 });
    for (const path of ["/api/settings", "/api/audit", "/api/alerts"])
      expect((await harness(path, { cookie: owner })).text).not.toContain("very-secret-path");
    expect(services.logged.join()).not.toContain("very-secret-path");
    expect(readStoreBytes(services.dataDirectory).includes("very-secret-path")).toBe(false);
    await post("/webhook/test");
    expect(receiver.received.map((one) => one.url)).toEqual(["/services/T0/very-secret-path?team=night"]);
    // Bound to its setting (AAD): the ciphertext does not decrypt as another setting.
    const encrypted = (await services.store.settings.all())[WEBHOOKS.signed.setting];
    expect(services.cipher.decrypt("webhook-url", WEBHOOKS.signed.aad, String(encrypted))).toBe(url);
    for (const [purpose, place] of [
      ["webhook-url", "settings/another/value"],
      ["webhook-secret", WEBHOOKS.signed.aad],
    ] as const)
      expect(() => services.cipher.decrypt(purpose, place, String(encrypted))).toThrow("changed or moved");
  });

  test("retains its URL when an update sends the mask or omits it, and removes it for null", async () => {
    await setWebhook(`http://${target}/services/T0/very-secret-path`);
    const { webhook_url: masked, ...rules } = await readRules();
    expect((await changeRules({ ...rules, webhook_url: masked })).status).toBe(200);
    expect((await changeRules(rules)).json.data.alerts.webhook_url).toBe(masked);
    expect((await post("/webhook/test")).json.data.ok).toBe(true);
    // The address of a stored URL may be refused only now: the same URL is still accepted, another one is not.
    vi.spyOn(services.webhook, "refusalOf").mockReturnValue("Not allowed.");
    const present = `http://${target}/services/T0/very-secret-path`;
    expect((await changeRules({ ...rules, webhook_url: present })).status).toBe(200);
    expect((await changeRules({ ...rules, webhook_url: `${present}x` })).status).toBe(400);
    for (const cut of [`${masked}x`, "https://hooks.example.com/****path"]) {
      const refused = await changeRules({ ...rules, webhook_url: cut });
      expect([refused.status, refused.json.issues]).toEqual([
        400,
        [expect.objectContaining({ path: "alerts.webhook_url" })],
      ]);
    }
    await changeRules({ ...rules, webhook_url: null });
    expect((await readRules()).webhook_url).toBeNull();
    expect((await post("/webhook/test")).status).toBe(400);
  });

  test.each([
    ["https://hooks.example.com/", "https://hooks.example.com/"],
    ["https://hooks.example.com/short", "https://hooks.example.com/****"],
    ["https://hooks.example.com:8443/a?key=0123456789", "https://hooks.example.com:8443/****6789"],
  ])("shows %s as %s", async (url, shown) => {
    await setWebhook(url);
    expect((await readRules()).webhook_url).toBe(shown);
    expect((await changeRules(await readRules())).status).toBe(200);
    expect(await decryptWebhookUrl(services.store, services.cipher, "signed")).toBe(url);
  });

  test("does not retry a message after the URL was removed", async () => {
    await setWebhook(`http://${target}/`);
    receiver.status = 500;
    await watchAlerts(services, FULL);
    const { alerts: rules } = (await harness("/api/settings", { cookie: owner })).json.data;
    const body = { alerts: { ...rules, webhook_url: null } };
    await changeSettings(harness, owner, body);
    services.clock.advance(60_000);
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(1);
    expect((await alerts())[0].delivery.state).toBe("none");
  });
});

describe("the Slack-compatible webhook", () => {
  const SECRET_PATH = "/services/T0/B0/very-secret-path";
  const setSlack = async (url: string | null) => {
    const saved = await changeRules({ ...(await readRules()), slack_url: url });
    expect(saved.status, saved.text).toBe(200);
  };
  const testSlack = () => harness("/api/alerts/webhook/test", { body: { kind: "slack" }, cookie: owner });

  test("gets messages in Slack's form, without a signature and without a secret", async () => {
    await setSlack(`http://${target}${SECRET_PATH}`);
    expect((await testSlack()).json.data).toMatchObject({ ok: true });
    await watchAlerts(services, FULL);
    services.clock.advance(15_000);
    await watchAlerts(services, FREE);
    expect(receiver.received.map((one) => one.url)).toEqual([SECRET_PATH, SECRET_PATH, SECRET_PATH]);
    const [, opened, resolved] = receiver.received.map((one) => JSON.parse(one.text));
    expect(receiver.received[0]?.headers).not.toHaveProperty("x-patchbay-signature");
    const text = "Only 1 % of the disk of the database is free.";
    expect(opened).toEqual({
      text: `Patchbay: Disk almost full. ${text}`,
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Disk almost full", emoji: false } },
        { type: "section", text: { type: "plain_text", text, emoji: false } },
        { type: "context", elements: [expect.objectContaining({ type: "plain_text" })] },
      ],
    });
    expect(resolved.blocks[0].text.text).toBe("Resolved: Disk almost full");
    expect((await alerts())[0].delivery).toMatchObject({ state: "delivered", webhook: null });
  });

  test("gets the heading 'Requests refused by a budget' instead of 'Budget spent' while some budget is left", async () => {
    await setSlack(`http://${target}/`);
    const base = { kind: "budget_spent", openedAt: services.clock.now(), delivery: "pending" } as const;
    for (const percent of [97, 100])
      await services.store.alerts.raise({
        id: `alt_${percent}`,
        subject: `key_${percent}:daily`,
        detail: { percent },
        ...base,
      });
    await deliverAlerts(services);
    const headings = receiver.received.map((one) => JSON.parse(one.text).blocks[0].text.text);
    expect(headings.sort()).toEqual(["Budget spent", "Requests refused by a budget"]);
  });

  test("receives no mention, link or markup from a name", async () => {
    await setSlack(`http://${target}/`);
    await services.store.alerts.raise({
      id: "alt_1",
      kind: "channel_open",
      subject: "chn_1",
      detail: { name: "<!channel> @all [x](http://evil.example) &", since: "now", fallbacks: [] },
      openedAt: services.clock.now(),
      delivery: "pending",
    });
    await deliverAlerts(services);
    const { text, blocks } = JSON.parse(receiver.received[0]?.text ?? "");
    expect(text).toContain("&lt;!channel&gt; @\u200ball [x]\u200b(http://evil.example) &amp;");
    expect(blocks.map((block: { text?: { type: string } }) => block.text?.type)).toEqual([
      "plain_text",
      "plain_text",
      undefined,
    ]);
  });

  test("is retried alone when the signed webhook has accepted the message", async () => {
    await setWebhook(`http://${target}/signed`);
    await setSlack("https://localhost:1024/slack");
    await watchAlerts(services, FULL);
    const { delivery } = (await alerts())[0];
    expect(delivery).toMatchObject({ state: "pending", webhook: "slack", error: "address_refused" });
    await setSlack(`http://${target}/slack`);
    services.clock.advance(BACKOFF_MS[0] ?? 0);
    await watchAlerts(services, FULL);
    expect(receiver.received.map((one) => one.url)).toEqual(["/signed", "/slack"]);
    expect((await alerts())[0].delivery).toMatchObject({ state: "delivered", attempts: 2, webhook: null });
  });

  test("gets its messages while the signed webhook cannot be decrypted", async () => {
    await setWebhook(`http://${target}/signed`);
    await setSlack(`http://${target}/slack`);
    await services.store.settings.put("alerts_webhook_url", "changed");
    await watchAlerts(services, FULL);
    expect(receiver.received.map((one) => one.url)).toEqual(["/slack"]);
    expect((await alerts())[0].delivery).toMatchObject({
      state: "pending",
      webhook: "signed",
      error: "undecryptable",
    });
  });

  test("goes to no private address that is not allowed and follows no redirect", async () => {
    receiver.status = 302;
    await setSlack(`http://${target}/`);
    expect((await testSlack()).json.data).toMatchObject({ ok: false, error: "redirect" });
    expect((await changeRules({ ...(await readRules()), slack_url: "file:///etc/passwd" })).status).toBe(400);
    await services.close();
    await start([]);
    receiver.received = [];
    const port = target.split(":")[1];
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "169.254.169.254"])
      await expectRefused(`http://${host}:${port}/`, "slack_url");
    await setSlack(`https://localhost:${port}/`);
    expect((await testSlack()).json.data).toMatchObject({ ok: false, error: "address_refused" });
    expect(receiver.received).toEqual([]);
  });

  test("has its URL encrypted at rest, masked in replies, and absent from logs and the audit log", async () => {
    await setSlack(`http://${target}${SECRET_PATH}`);
    receiver.status = 500;
    await watchAlerts(services, FULL);
    for (const path of ["/api/settings", "/api/audit", "/api/alerts"])
      expect((await harness(path, { cookie: owner })).text).not.toContain("very-secret-path");
    const exported = await harness("/api/settings/export", { body: {}, cookie: owner });
    expect(exported.text).not.toContain("secret-path");
    expect(services.logged.join()).not.toContain("very-secret-path");
    expect(readStoreBytes(services.dataDirectory).includes("very-secret-path")).toBe(false);
    // A request that sends the mask back, or leaves the field out, keeps the URL; null removes it.
    const { slack_url: masked, ...rules } = await readRules();
    expect(masked).toBe(`http://${target}/****path`);
    expect((await changeRules({ ...rules, slack_url: masked })).status).toBe(200);
    expect((await changeRules(rules)).json.data.alerts.slack_url).toBe(masked);
    await setSlack(null);
    expect((await testSlack()).status).toBe(400);
  });
});

describe("a snoozed alert", () => {
  const snooze = (id: string, duration: string, cookie = owner) =>
    harness(`/api/alerts/${id}/snooze`, { body: { for: duration }, cookie });

  test("is not sent, shows that it is snoozed, and is sent when its snooze ends", async () => {
    await setWebhook(`http://${target}/`);
    receiver.status = 500;
    await watchAlerts(services, FULL);
    const [open] = await alerts();
    const until = new Date(services.clock.now() + 3_600_000).toISOString();
    expect((await snooze(open.id, "1h")).json.data).toMatchObject({
      snooze: { by: OWNER.username, until },
      delivery: { state: "snoozed" },
    });
    const [entry] = (await harness("/api/audit?action=alerts.snooze", { cookie: owner })).json.data.items;
    expect(entry).toMatchObject({ target: open.id, detail: { kind: "disk", until } });
    receiver.status = 200;
    services.clock.advance(3_599_999);
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(1);
    services.clock.advance(1);
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(2);
    expect(await services.store.alerts.open()).toMatchObject([{ snooze: null, delivery: "delivered" }]);
  });

  test("is not sent when it resolves, but is sent when an operator ends the snooze", async () => {
    await setWebhook(`http://${target}/`);
    await watchAlerts(services, FULL);
    const [open] = await alerts();
    await snooze(open.id, "resolved");
    await watchAlerts(services, FREE);
    expect(receiver.received).toHaveLength(1);
    const kept = { state: "resolved", snooze: { until: null }, delivery: { state: "snoozed" } };
    expect((await alerts())[0]).toMatchObject(kept);
    services.clock.advance(1);
    await watchAlerts(services, FULL);
    expect(receiver.received).toHaveLength(2);
    const [next] = await alerts("?state=opened");
    await snooze(next.id, "24h");
    expect((await post(`/${next.id}/unsnooze`)).json.data).toMatchObject({ snooze: null });
    expect((await post(`/${next.id}/unsnooze`)).status).toBe(404);
    await deliverAlerts(services);
    expect(receiver.received).toHaveLength(3);
    expect((await snooze(open.id, "1h")).status).toBe(404);
    expect((await snooze(next.id, "2h")).status).toBe(400);
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await snooze(next.id, "1h", mia.cookie)).status).toBe(403);
    expect((await post(`/${next.id}/unsnooze`, mia.cookie)).status).toBe(403);
  });
});

describe("alert rules of one model or API key", () => {
  const rule = { scope: "model", model: "tts-1", error_rate_percent: 5, channel_open_minutes: 1 };

  test("are kept by a change of the general rules, and a model cannot have two of them", async () => {
    const rules = { ...(await readRules()), rules: [rule] };
    expect((await changeRules(rules)).json.data.alerts.rules).toEqual([rule]);
    const { rules: _, ...general } = rules;
    expect((await changeRules({ ...general, budgets: false })).json.data.alerts.rules).toEqual([rule]);
    const twice = await changeRules({ ...rules, rules: [rule, rule] });
    expect([twice.status, twice.json.issues]).toEqual([
      400,
      [expect.objectContaining({ path: "alerts.rules" })],
    ]);
  });

  test("are empty in settings that an earlier version stored", async () => {
    const { webhook_url, slack_url, rules, ...earlier } = await readRules();
    await services.store.settings.put("alerts", { ...earlier, error_rate_percent: 33 });
    expect(await readRules()).toMatchObject({ error_rate_percent: 33, rules: [] });
  });

  test("raise an alert about the key that they name", async () => {
    const key = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
    for (let index = 0; index < 20; index++) {
      const at = services.clock.now();
      const failed = { at, state: "settled", status: 502, error: "upstream_error", reservedNano: 0 } as const;
      await services.store.ledger.settle(usageRecord(key.id, key.owner_id, failed), PERIOD);
    }
    const own = { scope: "key", key_id: key.id, error_rate_percent: 50, budgets: true };
    await changeRules({ ...(await readRules()), error_rate_percent: null, rules: [own] });
    await watchAlerts(services, null);
    expect(await alerts()).toMatchObject([
      {
        kind: "error_rate",
        subject: key.id,
        subject_name: "robot",
        message: "100 % of the requests of the API key 'robot' in the last five minutes failed (20 of 20).",
      },
    ]);
  });
});

describe("the message of a resolved alert", () => {
  const UNWATCHED = "is no longer watched; the problem may still exist.";
  const ended = async () => {
    services.clock.advance(60_000);
    await watchAlerts(services, FULL);
    const [alert] = await alerts();
    expect(alert.state).toBe("resolved");
    return alert.message;
  };
  const failAll = (id: string, model: string) => {
    const failed = new AppError("upstream_invalid", "Not audio.");
    for (let time = 0; time < 5; time += 1)
      services.state.circuits.enter(id, null, model).failed(failed, new UpstreamProgress());
  };

  test("says that the problem may still exist when the rule of a full disk is turned off", async () => {
    await watchAlerts(services, FULL);
    await changeRules({ ...(await readRules()), disk_free_percent: null });
    expect(await ended()).toBe(`The disk of the database ${UNWATCHED}`);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ["is deleted", (id) => harness(`/api/channels/${id}`, { method: "DELETE", cookie: owner })],
    [
      "is disabled",
      (id) =>
        harness(`/api/channels/${id}`, {
          method: "PATCH",
          body: { enabled: false, version: 1 },
          cookie: owner,
        }),
    ],
    [
      "has its rule turned off",
      async () => changeRules({ ...(await readRules()), channel_open_minutes: null }),
    ],
  ])("says that the problem may still exist when a channel that is down %s", async (_, end) => {
    await changeRules({ ...(await readRules()), disk_free_percent: null });
    const models = [{ name: "bad", upstream_name: "bad", operation: "speech" }];
    const body = { name: "Rented", provider: "openai", models };
    const { id } = (await harness("/api/channels", { body, cookie: owner })).json.data;
    failAll(id, "bad");
    services.clock.advance(120_000);
    await watchAlerts(services, FULL);
    expect(await alerts()).toMatchObject([{ kind: "channel_open", state: "opened" }]);
    await end(id);
    expect(await ended()).toBe(`The channel 'Rented' ${UNWATCHED}`);
  });

  /** Opens the alert of a key's budget and returns the key's ID. */
  const openBudgetAlert = async (cookie = owner): Promise<string> => {
    await changeRules({ ...(await readRules()), disk_free_percent: null });
    const body = { name: "robot", budget: { total_usd: "1" } };
    const key = (await harness("/api/keys", { body, cookie })).json.data;
    const row = usageRecord(key.id, key.owner_id, { costNano: 0.9e9, reservedNano: 0.9e9 });
    await services.store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
    await services.store.ledger.settle(row, PERIOD);
    await watchAlerts(services, FULL);
    expect(await alerts()).toMatchObject([{ kind: "budget_nearly_spent", state: "opened" }]);
    return key.id;
  };

  test.each<[string, (id: string) => Promise<unknown>]>([
    ["the key is deleted", (id) => harness(`/api/keys/${id}`, { method: "DELETE", cookie: owner })],
    [
      "the key is disabled",
      (id) =>
        harness(`/api/keys/${id}`, { method: "PATCH", body: { enabled: false, version: 1 }, cookie: owner }),
    ],
    [
      "the key's budget becomes 0",
      (id) =>
        harness(`/api/keys/${id}`, {
          method: "PATCH",
          body: { budget: { total_usd: "0" }, version: 1 },
          cookie: owner,
        }),
    ],
    ["the rule is turned off", async () => changeRules({ ...(await readRules()), budgets: false })],
  ])("says that the problem may still exist for a budget when %s", async (_, end) => {
    await end(await openBudgetAlert());
    expect(await ended()).toBe(`The budget of the key 'robot' ${UNWATCHED}`);
  });

  test("says that the problem may still exist for a budget when the key's owner is disabled", async () => {
    const { id, cookie } = await addUser(harness, owner, { username: "mia" });
    await openBudgetAlert(cookie);
    const { version } = (await harness(`/api/users/${id}`, { cookie: owner })).json.data;
    const body = { enabled: false, version };
    const { status } = await harness(`/api/users/${id}`, { method: "PATCH", body, cookie: owner });
    expect(status).toBe(200);
    expect(await ended()).toBe(`The budget of the key 'robot' ${UNWATCHED}`);
  });

  test("reports the recovery when the budget was raised", async () => {
    const id = await openBudgetAlert();
    const body = { budget: { total_usd: "2" }, version: 1 };
    await harness(`/api/keys/${id}`, { method: "PATCH", body, cookie: owner });
    expect(await ended()).toBe("Less than 80 % of the total budget of the key 'robot' is spent.");
  });

  test("says that the problem may still exist for an error rate when the rule of its key is removed", async () => {
    await changeRules({ ...(await readRules()), disk_free_percent: null });
    const key = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
    for (let index = 0; index < 20; index++) {
      const at = services.clock.now();
      const failed = { at, state: "settled", status: 502, error: "upstream_error", reservedNano: 0 } as const;
      await services.store.ledger.settle(usageRecord(key.id, key.owner_id, failed), PERIOD);
    }
    const own = { scope: "key", key_id: key.id, error_rate_percent: 50, budgets: true };
    await changeRules({ ...(await readRules()), error_rate_percent: null, rules: [own] });
    await watchAlerts(services, FULL);
    await changeRules({ ...(await readRules()), rules: [] });
    expect(await ended()).toBe(`The error rate of the API key 'robot' ${UNWATCHED}`);
  });
});

test("a refusal by the daily budget does not raise an alert that the monthly budget is spent", async () => {
  const body = { name: "robot", budget: { daily_usd: "1", monthly_usd: "1.1" } };
  const made = (await harness("/api/keys", { body, cookie: owner })).json.data;
  const rowOf = (nano: number) => usageRecord(made.id, made.owner_id, { costNano: nano, reservedNano: nano });
  const spent = rowOf(0.9e9);
  await services.store.ledger.reserve({ row: spent, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
  await services.store.ledger.settle(spent, PERIOD);
  const caller = await services.store.keys.findByDigest(digestKey(made.key));
  // `reserveBudget` reads no other fields of the call and the plan.
  const call = { services, caller } as unknown as Parameters<typeof reserveBudget>[0];
  const plan = { reservedNano: 0.15e9, alwaysOpensEntry: true } as Parameters<typeof reserveBudget>[1];
  await expect(reserveBudget(call, plan, rowOf(0.15e9))).rejects.toMatchObject({
    code: "insufficient_quota",
  });
  await watchAlerts(services, FREE);
  const open: { kind: string; detail: { period: string } }[] = await alerts();
  expect(open.map(({ kind, detail }) => `${kind} ${detail.period}`).sort()).toEqual([
    "budget_nearly_spent daily",
    "budget_nearly_spent monthly",
    "budget_spent daily",
  ]);
});

test("a channel with one broken model raises an alert that names the model", async () => {
  const models = ["good", "bad"].map((name) => ({ name, upstream_name: name, operation: "speech" }));
  const body = { name: "Two models", provider: "openai", models };
  const { id } = (await harness("/api/channels", { body, cookie: owner })).json.data;
  const failed = new AppError("upstream_invalid", "Not audio.");
  for (let time = 0; time < 5; time += 1)
    services.state.circuits.enter(id, null, "bad").failed(failed, new UpstreamProgress());
  services.clock.advance(120_000);
  await watchAlerts(services, FREE);
  expect(await alerts()).toMatchObject([
    {
      kind: "channel_open",
      subject: id,
      message: expect.stringContaining("'Two models' has accepted no requests for 'bad' since"),
      detail: { models: ["bad"], reason: "failures" },
    },
  ]);
  services.state.circuits.close(id);
  services.clock.advance(60_000);
  await watchAlerts(services, FREE);
  expect(await alerts()).toMatchObject([
    {
      kind: "channel_open",
      state: "resolved",
      message: "The channel 'Two models' accepts requests for 'bad' again.",
    },
  ]);
});

describe("an alert for a channel that is down", () => {
  const takes = { key: "sk-upstream-right" };
  let upstream: Upstream;
  beforeEach(async () => {
    takes.key = "sk-upstream-right";
    upstream = await startUpstream(takes);
    await services.close();
    await start([target], [upstream.target]);
  });
  afterEach(() => upstream.close());

  const channel = async (name: string, models: string[]) => {
    const body = {
      name,
      provider: "openai",
      base_url: `${upstream.origin}/v1`,
      keys: ["sk-upstream-right"],
      models: models.map((model) => ({ name: model, upstream_name: model, operation: "embeddings" })),
    };
    const reply = await harness("/api/channels", { body, cookie: owner });
    expect(reply.status, reply.text).toBe(200);
    return reply.json.data.id as string;
  };
  /** Opens the circuit of the channel's key for 30 s. */
  const refuseKey = async (id: string, model: string) => {
    const record = (await services.store.channels.all()).find((one) => one.id === id);
    const error = new AppError("upstream_error", "No.", {
      upstreamStatus: 401,
      upstreamRefusal: "credentials",
    });
    const progress = new UpstreamProgress();
    services.state.circuits.enter(id, record?.keys[0]?.id ?? null, model).failed(error, progress);
  };

  test("sends the message that the guide shows", async () => {
    await setWebhook(`http://${target}/hook`);
    await changeRules({ ...(await readRules()), channel_open_minutes: 1 });
    const id = await channel("Gemini", ["gemini-embedding-001"]);
    await refuseKey(id, "gemini-embedding-001");
    services.clock.advance(60_000);
    await refuseKey(id, "gemini-embedding-001");
    await watchAlerts(services, FREE);
    const [sent] = receiver.received.map(({ text }) => JSON.parse(text));
    for (const locale of ["en", "zh"] as const) {
      const { text } = await readGuide(locale, "alerts");
      const sample = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
      const { since } = sent.detail;
      expect(sent, locale).toEqual({
        ...sample,
        id: sent.id,
        subject: id,
        message: sample.message.replace(sample.detail.since, since),
        detail: { ...sample.detail, since },
        at: sent.at,
        opened_at: sent.at,
      });
    }
  });

  test("names the models that another channel serves and those without a channel", async () => {
    const down = await channel("Rented machine", ["bge-m3", "tts-1"]);
    await channel("OpenAI primary", ["tts-1"]);
    await refuseKey(down, "tts-1");
    services.clock.advance(29_000);
    const facts = async () => {
      await watchAlerts(services, FREE);
      return (await alerts())[0]?.detail.fallbacks;
    };
    await changeRules({ ...(await readRules()), channel_open_minutes: 1 });
    services.clock.advance(31_000);
    await refuseKey(down, "tts-1");
    expect(await facts()).toEqual([
      { models: ["bge-m3"], channels: [], recovering: false },
      { models: ["tts-1"], channels: ["OpenAI primary"], recovering: false },
    ]);
    services.clock.advance(30_000);
    expect(await facts()).toEqual([
      { models: ["bge-m3"], channels: [], recovering: true },
      { models: ["tts-1"], channels: ["OpenAI primary"], recovering: false },
    ]);
  });

  test("is checked with one probe while the circuit is half-open, and resolves when the probe passes", async () => {
    const down = await channel("Rented machine", ["bge-m3"]);
    takes.key = "sk-upstream-other";
    await refuseKey(down, "bge-m3");
    await changeRules({ ...(await readRules()), channel_open_minutes: 1 });
    services.clock.advance(20_000);
    await refuseKey(down, "bge-m3");
    services.clock.advance(20_000);
    await refuseKey(down, "bge-m3");
    services.clock.advance(20_000);
    await watchAlerts(services, FREE);
    const [open] = await alerts();
    const check = async () => (await post(`/${open.id}/check`)).json.data.probes;
    expect(await check()).toEqual([]);
    expect(upstream.ledger).toHaveLength(0);
    services.clock.advance(30_000);
    expect(await check()).toMatchObject([{ model: "bge-m3", ok: false, error: { upstream_status: 401 } }]);
    expect(upstream.ledger).toHaveLength(1);
    // The failed probe opened the circuit again.
    expect(await check()).toEqual([]);
    takes.key = "sk-upstream-right";
    services.clock.advance(30_000);
    expect(await check()).toEqual([{ model: "bge-m3", ok: true, error: null }]);
    services.clock.advance(60_000);
    await watchAlerts(services, FREE);
    expect(await alerts()).toMatchObject([{ id: open.id, state: "resolved" }]);
    expect((await post(`/${open.id}/check`)).status).toBe(404);
  });

  test.each([
    ["its only model", ["bge-m3"], undefined],
    ["one of its models", ["bge-m3", "tts-1"], ["bge-m3"]],
  ])(
    "is not raised for an expired rate limit of %s unless the channel is limited again",
    async (_title, names, models) => {
      const limited = await channel("Rented machine", names);
      const [keyId = null] = (await services.store.channels.all())
        .filter((one) => one.id === limited)
        .flatMap((one) => one.keys.map((key) => key.id));
      const meetLimit = (retryAfterMs: number) => {
        const error = new AppError("upstream_rate_limited", "Full.", { retryAfterMs });
        services.state.circuits.enter(limited, keyId, "bge-m3").failed(error, new UpstreamProgress());
      };
      await changeRules({ ...(await readRules()), channel_open_minutes: 1 });
      meetLimit(1_000);
      services.clock.advance(61_000);
      await watchAlerts(services, FREE);
      expect(await alerts()).toEqual([]);
      // A channel that is limited again every three minutes is down, and its alert stays open between the requests.
      for (let at = 0; at < 3; at += 1) {
        meetLimit(1_000);
        services.clock.advance(20_000);
        await watchAlerts(services, FREE);
        expect(await alerts()).toMatchObject([{ state: "opened", detail: { reason: "rate_limited" } }]);
        services.clock.advance(160_000);
        await watchAlerts(services, FREE);
        const [alert] = await alerts();
        expect([alert.state, alert.detail.models]).toEqual(["opened", models]);
      }
      services.clock.advance(8 * 60_000);
      await watchAlerts(services, FREE);
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
      expect(await alerts()).toMatchObject([{ state: "resolved" }]);
    },
  );

  describe("after a restart", () => {
    /** Restarts with empty circuit state on the same data, then checks the alerts at once and again after 60 s. */
    const restart = async () => {
      const { clock, log, store } = services;
      services.state = createGatewayState({ store, clock, log, metrics: services.metrics });
      harness = openConsoleHarness(services);
      await restoreCircuits(services);
      await watchAlerts(services, FREE);
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
    };
    const fail = async (id: string, model: string) => {
      const keyId = await keyOf(id);
      const error = new AppError("upstream_error", "No.", { upstreamStatus: 500 });
      for (let time = 0; time < 5; time += 1) {
        const progress = new UpstreamProgress();
        progress.hasHead = true;
        services.state.circuits.enter(id, keyId, model).failed(error, progress);
      }
    };
    const keyOf = async (id: string) =>
      (await services.store.channels.all()).find((one) => one.id === id)?.keys[0]?.id ?? null;
    const openAlert = async () => {
      await changeRules({ ...(await readRules()), channel_open_minutes: 1 });
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
      const [open] = await alerts("?state=opened");
      return open.id as string;
    };
    const probes = async (id: string) => (await post(`/${id}/check`)).json.data.probes;

    test("stays open until a probe passes, and one success is enough for a key", async () => {
      const down = await channel("Rented machine", ["bge-m3", "tts-1"]);
      await refuseKey(down, "bge-m3");
      const id = await openAlert();
      takes.key = "sk-upstream-other";
      await restart();
      expect(await alerts()).toMatchObject([{ id, state: "opened", detail: { reason: "credentials" } }]);
      expect(await probes(id)).toMatchObject([{ ok: false, error: { upstream_status: 401 } }]);
      takes.key = "sk-upstream-right";
      services.clock.advance(30_000);
      expect(await probes(id)).toEqual([{ model: "bge-m3", ok: true, error: null }]);
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
      expect(await alerts()).toMatchObject([{ id, state: "resolved" }]);
    });

    test("stays open for each model that failed, regardless of the other models", async () => {
      const down = await channel("Rented machine", ["bge-m3", "tts-1"]);
      await fail(down, "bge-m3");
      await fail(down, "tts-1");
      const id = await openAlert();
      await restart();
      const permit = services.state.circuits.enter(down, await keyOf(down), "tts-1");
      permit.succeeded(new UpstreamProgress());
      const error = new AppError("upstream_error", "No.", { upstreamStatus: 500 });
      const progress = new UpstreamProgress();
      progress.hasHead = true;
      services.state.circuits.enter(down, await keyOf(down), "bge-m3").failed(error, progress);
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
      expect(await alerts()).toMatchObject([{ id, state: "opened", detail: { models: ["bge-m3"] } }]);
    });

    test("resolves when its channel was edited", async () => {
      const down = await channel("Rented machine", ["bge-m3"]);
      await fail(down, "bge-m3");
      await openAlert();
      await restart();
      const { version } = (await harness(`/api/channels/${down}`, { cookie: owner })).json.data;
      const body = { version, keys: ["sk-upstream-new"] };
      await harness(`/api/channels/${down}`, { method: "PATCH", body, cookie: owner });
      services.clock.advance(60_000);
      await watchAlerts(services, FREE);
      expect(await alerts("?state=opened")).toEqual([]);
    });

    test("does not overwrite a circuit state received from another instance", async () => {
      const down = await channel("Rented machine", ["bge-m3"]);
      await fail(down, "bge-m3");
      await openAlert();
      const { clock, log, store } = services;
      services.state = createGatewayState({ store, clock, log, metrics: services.metrics });
      const key = { channelId: down, keyId: await keyOf(down), model: "bge-m3" };
      const known = {
        state: "open",
        openedAt: clock.now(),
        openMs: 0,
        reason: "rate_limited",
        waitMs: 9_000,
        idleMs: 0,
      } as const;
      services.state.circuits.apply(key, known);
      await restoreCircuits(services);
      expect(services.state.circuits.health(down, key.keyId, "bge-m3")).toEqual(known);
    });

    test("makes the circuit half-open when the container starts", async () => {
      const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-restart-"));
      const env = readEnvironment({ PATCHBAY_DATA_DIR: dataDirectory, PATCHBAY_LOG_LEVEL: "silent" });
      try {
        const first = await createContainer(env);
        const [embedded] = await first.services.store.channels.all();
        const subject = embedded?.id ?? "";
        const [alert] = [{ id: "alt_1", kind: "channel_open", subject, delivery: "none" } as const];
        const detail = { name: "Built-in", reason: "failures", circuits: "keys" };
        await first.services.store.alerts.raise({ ...alert, detail, openedAt: Date.now() });
        await first.close();
        const second = await createContainer(env);
        expect(second.services.state.circuits.health(subject, null).state).toBe("half_open");
        await second.close();
      } finally {
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    });
  });
});

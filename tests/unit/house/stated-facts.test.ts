import { readFileSync } from "node:fs";
import path from "node:path";
import { createTranslator } from "use-intl";
import { describe, expect, test } from "vitest";
import { readGuide, readGuides } from "@/app/(console)/docs/read-guide";
import { ruleText } from "@/components/forms/rule-text";
import { MAX_TAKES } from "@/components/speech/max-takes";
import { passwordIssues } from "@/lib/console/auth/password-rules";
import { WebhookKind } from "@/lib/contracts/console/alerts";
import { UsageSummaryQuery } from "@/lib/contracts/console/usage-summary";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
import { attemptsAllowed } from "@/lib/gateway/routing/with-failover";
import { ROUTES } from "@/lib/http/routes";
import { en } from "@/lib/messages/en";
import { zh } from "@/lib/messages/zh";
import type { Instance } from "@/lib/ports/instance";
import { createMetrics } from "@/lib/server/process/metrics";
import { ROOT, sourcesBelow } from "../../support/sources";

/** Statements of the catalogues about the product, in both languages. */
const LANGUAGES = [
  ["English", "en", en],
  ["Chinese", "zh", zh],
] as const;

describe.each(LANGUAGES)("what the texts state in %s", (_language, locale, texts) => {
  test("the note on an endpoint that changes data does not mention API keys, which many do not accept", () => {
    expect(texts.apiDocs.try.notHere).not.toMatch(/key|密钥/);
  });

  test("the setup token may be the operator's own, which is neither printed nor in a file", () => {
    const { text, where, wrong } = texts.setup.token;
    expect(text).not.toMatch(/printed|输出/);
    for (const one of [where, wrong]) expect(one).toContain("PATCHBAY_SETUP_TOKEN");
  });

  test("the cause of a circuit that failures opened has no number, since one failed probe is enough", () => {
    expect(texts.requests.attempt.cause.failures).not.toMatch(/\d/);
  });

  test("passwords and 2FA codes have separate counts of attempts", () => {
    expect(texts.settings.limits.hint.loginAttemptsPerMinute).toMatch(/separately|分别/);
  });

  test("only a user with a higher role can help a user who cannot sign in", () => {
    for (const text of [texts.signIn.forgottenText, texts.twoFactor.codesSavedHint])
      expect(text).toMatch(/higher role|角色(?:更高|高于)/);
  });

  test("commands to copy have no placeholder that a shell reads as a redirection", async () => {
    const guides = (await readGuides(locale)).map(({ text }) => text).join("\n");
    const commands = [...guides.matchAll(/```bash\n([\s\S]*?)```|(npm run admin[^`\n]*)/g)];
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter(([command]) => /<\p{L}/u.test(command)).map(([command]) => command)).toEqual([]);
  });

  test("a management key manages no management keys", () => {
    expect(texts.apiKeys.managingText).toMatch(/other than management keys|管理密钥之外的 API 密钥/);
  });

  test("a channel's own timeouts take precedence over the settings", () => {
    const { hint } = texts.settings.limits;
    for (const text of [hint.upstreamConnectMs, hint.idleMs, hint.callMs])
      expect(text).toMatch(/channel|渠道/);
  });

  test("a role that requires 2FA stops the management keys of users without it", () => {
    expect(texts.settings.twoFactor.hint).toMatch(/management keys are refused|管理密钥会被拒绝/);
  });

  test("a refused request raises a budget alert only once most of the budget is spent", async () => {
    expect((await readGuide(locale, "budgets")).text).toMatch(/80%.*100%.*80%/);
  });

  test("an interrupted installation of a voice names what stopped and what to start again", () => {
    expect(texts.localVoices.installation.interruptedText).toMatch(
      /Patchbay process .* stopped\. Start the installation again|Patchbay 进程已停止。请重新开始安装/,
    );
  });

  test("nginx repeats a GET or DELETE request that it has sent, but no POST or PATCH request", async () => {
    const { text } = await readGuide(locale, "proxy");
    expect(text).toMatch(/repeats no POST or PATCH request|不会重发已送出的 POST 和 PATCH 请求/);
    expect(text).not.toContain("non_idempotent");
  });

  test("every proxy waits as long as the longest request", async () => {
    const seconds = DEFAULT_LIMITS.callMs / 1_000;
    const proxies = (await readGuide(locale, "proxy")).text;
    for (const wait of ["proxy_read_timeout ", "timeout client ", "timeout server "])
      expect(proxies).toContain(`${wait}${seconds}s`);
    expect(proxies).toContain(`timeout=${seconds}`);
    expect((await readGuide(locale, "kubernetes")).text).toContain(`proxy-read-timeout: "${seconds}"`);
  });

  test("a call that a crash cut off runs again, and its first run is charged", async () => {
    const { text } = await readGuide(locale, "proxy");
    expect(text).toMatch(/runs again after up to 20 s, and its first run is charged|首次运行按其预留计费/);
  });

  test("only calls with a price update balances, those of the key and of its user", async () => {
    const { text } = await readGuide(locale, "scale");
    expect(text).toMatch(/every call with a price writes|每次有价格的调用都会成组写入/);
    expect(text).toMatch(/with or without a budget|无论是否设有预算/);
    expect(text).not.toMatch(/several keys|多个密钥/);
  });

  test("a budget of 0 refuses free requests, and speech is reserved at its expected length", async () => {
    const { text } = await readGuide(locale, "budgets");
    expect(text).toMatch(/budget of 0 refuses every request|预算为 0 时拒绝所有请求/);
    expect(text).toMatch(/the input and the longest expected audio|按输入和预期的最长音频计/);
  });

  test("the SDK guide does not promise a reply about the base URL for every path without /v1", async () => {
    expect((await readGuide(locale, "sdks")).text).not.toMatch(/every request|每个请求/);
  });

  test.each([
    ["member", /[Aa]n administrator can raise|管理员可以(?:提前)?提高/],
    ["admin", /[Tt]he owner can raise|所有者可以(?:提前)?提高/],
  ])("the budget of a user with the role %s is raised by a higher role", (role, raiser) => {
    const t = createTranslator({ locale, messages: texts, timeZone: "UTC", namespace: "playground.failure" });
    for (const key of ["budget.resets", "budget.raise", "advice.budget"] as const)
      expect(t(key, { role, when: "12:00", seconds: 0 })).toMatch(raiser);
  });

  test("a single channel gets at most two attempts of a request", () => {
    // Cast: no other field is read.
    const instance = { limits: { ...DEFAULT_LIMITS, attemptsPerCall: 5 } } as Instance;
    expect(attemptsAllowed({ instance }, 1)).toBe(2);
    const t = createTranslator({ locale, messages: texts, timeZone: "UTC" });
    expect(t("settings.limits.hint.attemptsPerCall")).toMatch(
      /single available channel, at most two|最多尝试两次/,
    );
    const preview = (channels: number) => t("models.route.attempts", { count: 2, channels });
    expect(preview(1)).toMatch(/single channel gets at most two|单个渠道最多尝试两次/);
    expect(preview(2)).not.toMatch(/single|单个/);
  });

  test("a demo site shows its settings to administrators, not to members", () => {
    expect(texts.settings.usage.demo_site).toMatch(/^(?:Administrators|管理员)/);
  });

  test("a demo site does not let everyone in: others need an invitation or open registration", () => {
    const { demoText } = texts.setup.usage;
    expect(demoText).not.toMatch(/[Ee]veryone|人人/);
    expect(demoText).toMatch(/invit.*registration|邀请.*注册/);
  });

  test("the note on a missing input text is about this request only, since other texts may be stored", () => {
    expect(texts.requests.detail.promptNotStored).toMatch(/this request|此请求/);
  });

  test("a reply without a channel may be a stored one, of a repeat with an Idempotency-Key", () => {
    expect(texts.requests.detail.fromCache).toMatch(/earlier request|先前的请求/);
  });

  test("the speech playground says how many takes it stores", () => {
    const t = createTranslator({ locale, messages: texts, timeZone: "UTC", namespace: "speech.history" });
    expect(t("stored", { count: MAX_TAKES })).toMatch(new RegExp(`(?:At most|最多).*${MAX_TAKES}`));
  });

  test("the message for a password that equals the e-mail address names the address, not the username", () => {
    const issues = passwordIssues("o@example.com", {
      minimum: 8,
      username: "olivia",
      email: "o@example.com",
    });
    const t = createTranslator({ locale, messages: texts, timeZone: "UTC", namespace: "common.fieldError" });
    expect(issues.map((issue) => ruleText(t, issue))).toEqual([expect.stringMatching(/email|邮箱/)]);
  });

  test("only signed messages need the signing secret, not those to Slack", () => {
    expect(texts.alerts.webhook.secretNone).toMatch(/no signed messages are sent|不会发送带签名的消息/);
  });

  test("prompts without a limit of their own are kept no longer than their usage records", () => {
    expect(texts.settings.records.promptsHint).toMatch(/usage record|用量记录/);
  });

  test("channels of one priority share traffic by weight and latency", async () => {
    const guide = await readGuide(locale, "upstreams");
    for (const text of [texts.channels.lead, texts.channels.form.weightHint, guide.text])
      expect(text).toMatch(/latency|延迟/);
  });

  test("the guide to scaling has the README's figures of Redis", async () => {
    const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
    const [, from, to] = /carries the limits of ([\d,]+) to ([\d,]+)\s+calls a second/.exec(readme) ?? [];
    expect((await readGuide(locale, "scale")).text).toMatch(new RegExp(`${from} (?:to|到) ${to}`));
  });
});

describe("the Chinese texts", () => {
  test("do not say that channels can reach nothing but an address that was allowed", () => {
    expect(zh.settings.upstreams.addText).not.toContain("只能");
  });

  test("say that a new reset link ends earlier ones at once, not when it is used", () => {
    expect(zh.users.confirm.password.text).not.toMatch(/使用后[^。]*链接/);
  });

  test("have one term each for 2FA, the instance secret and the base URL", async () => {
    const guides = (await readGuides("zh")).map(({ text }) => text).join("\n");
    expect(`${JSON.stringify(zh)}\n${guides}`).not.toMatch(/双重验证|双因素|主密钥|base URL/);
  });
});

test("the README names both kinds of webhook that alerts are sent to", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  expect(WebhookKind.options).toEqual(["signed", "slack"]);
  expect(readme).toMatch(/alerts [^;]*signed webhook\s[^;]*Slack[^;]*;/);
});

test("every counter of the metrics is incremented somewhere in lib", async () => {
  const metrics = createMetrics({
    token: null,
    instance: { id: "one", version: "0" },
    inFlight: () => 0,
    isRedisUp: null,
    member: null,
  });
  const text = (await metrics.exposition?.render()) ?? "";
  const names = [...text.matchAll(/^# TYPE patchbay_(\w+)_total counter$/gm)].map(([, name]) => name ?? "");
  const declared = new Set(["lib/ports/telemetry.ts", "lib/server/process/metrics.ts"]);
  const counting = sourcesBelow("lib").filter(({ file }) => !declared.has(file));
  const isCounted = (name: string) => counting.some((source) => source.text.includes(`"${name}"`));
  expect(names.length).toBeGreaterThan(10);
  // Counted by `observeCall` and `countRejection`.
  const ownMethod = new Set(["calls", "rejected"]);
  expect(names.filter((name) => !ownMethod.has(name) && !isCounted(name))).toEqual([]);
});

describe("the summary of /api/usage/summary", () => {
  test("names every interval and dimension by which calls are summed", () => {
    const { by, interval } = UsageSummaryQuery.shape;
    const values = [...interval.unwrap().options, ...by.unwrap().options];
    const summary = ROUTES.find(({ path }) => path === "/api/usage/summary")?.summary;
    for (const value of values) expect(summary).toContain(value.replace("_", " "));
  });
});

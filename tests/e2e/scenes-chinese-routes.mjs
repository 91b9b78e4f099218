/** Walks through admin pages, setup and sign-in in Chinese, for tests/e2e/screenshots.mjs. */
import { codeOf, OWNER, SETUP_TOKEN } from "./scenes.mjs";

/** Channels, models, keys and users by URL, so that the walk depends on no UI text. */
export async function walkChineseOperator({ page, url, shot }) {
  const { data } = await (await page.request.get(`${url}/api/channels`)).json();
  const failing = data.items.find((one) => one.name === "Rented machine");
  for (const [path, name] of [
    ["/", "zh-overview-busy"],
    ["/channels", "zh-channels-routed"],
    [`/channels/${failing.id}`, "zh-channel"],
    [`/channels/${failing.id}/edit`, "zh-channel-edit"],
    ["/models", "zh-models-routed"],
    ["/keys", "zh-keys-several"],
  ]) {
    await page.goto(url + path);
    await shot(name);
  }
  for (const [path, name] of [
    ["/models?model=bge-m3", "zh-models-route"],
    ["/models?create=1", "zh-models-create"],
    ["/keys?create=1", "zh-keys-create"],
    ["/users?invite=1", "zh-users-invite"],
  ]) {
    await page.goto(url + path);
    await page.getByRole("dialog").waitFor();
    await shot(name, { fullPage: false });
  }
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await shot("zh-login");
}

/** The setup wizard, from the setup token to the first audio. */
export async function walkChineseWizard({ page, url, shot }) {
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  await page.goto(`${url}/setup`);
  await shot("zh-wizard-found");
  await press("开始设置");
  await page.getByLabel("初始设置令牌").fill(SETUP_TOKEN);
  await shot("zh-wizard-token");
  await press("继续");
  await page.getByRole("radio").first().waitFor();
  await shot("zh-wizard-usage");
  await press("继续");
  await page.getByLabel("用户名").fill(OWNER.username);
  await page.getByLabel("密码", { exact: true }).fill(OWNER.password);
  await page.getByLabel("确认密码").fill("another");
  await press("创建账户");
  await shot("zh-wizard-administrator");
  await page.getByLabel("确认密码").fill(OWNER.password);
  await press("创建账户");
  await page.getByText(/^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/).waitFor();
  await shot("zh-wizard-two-factor");
  const secret = (await page.getByText(/^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/).textContent()) ?? "";
  await page.locator("input[autocomplete=one-time-code]").fill(codeOf(secret));
  await page
    .getByText(/^[A-Z0-9]{5}-[A-Z0-9]{5}$/)
    .first()
    .waitFor();
  await shot("zh-wizard-backup-codes");
  await page.locator("main button").last().click();
  await page.getByLabel("名称").waitFor();
  await shot("zh-wizard-key");
  await press("创建 API 密钥");
  await page.getByTestId("api-key").waitFor();
  await shot("zh-wizard-key-revealed");
  await press("继续");
  await press("朗读");
  await page.getByRole("button", { name: "再读一次" }).waitFor();
  await shot("zh-wizard-sound");
}

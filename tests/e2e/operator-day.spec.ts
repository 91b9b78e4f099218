import type { Page } from "playwright/test";
import { startUpstream } from "../support/upstream/server";
import { expect, OWNER } from "./fixtures";
import { test, UPSTREAM_KEY } from "./routed";

test.use({ needsNewInstance: true });

const MODEL = "nomic-embed-text";
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const drawer = (page: Page) => page.getByRole("dialog", { name: "Request" });

/** Opens the newest call of the model in the logs. */
async function openNewest(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/logs?model=${MODEL}`);
  await page
    .getByRole("link", { name: new RegExp(`${MODEL} at `) })
    .first()
    .click();
  await expect(drawer(page).getByRole("heading", { name: "Timeline" })).toBeVisible();
}

test.describe("an upstream channel over a day", () => {
  // A private address is rejected until the owner allows it.
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });

  test("adds, tests and calls a channel, fails over and alerts when it breaks, and recovers it", async ({
    routedPage: page,
    routed,
  }) => {
    test.setTimeout(240_000);
    const { url } = routed.product;
    const standby = await startUpstream();
    const { version } = await routed.call("/api/settings");
    const alerts = {
      channel_open_minutes: 1,
      error_rate_percent: null,
      budgets: true,
      disk_free_percent: null,
      webhook_url: null,
    };
    await routed.call("/api/settings", { version, alerts }, "PATCH");

    await test.step("add and test", async () => {
      await page.goto(`${url}/channels/new`);
      await page.getByRole("button", { name: /^OpenAI-compatible/ }).click();
      await page.getByLabel("Base URL").fill(`${routed.upstream.origin}/v1`);
      await page.getByLabel(/^Upstream key/).fill(UPSTREAM_KEY);
      await page.getByRole("button", { name: "Connect" }).click();
      await page.getByLabel("Your password").fill(OWNER.password);
      await page.keyboard.press("Enter");
      await expect(page.getByText("Connected. 3 models.")).toBeVisible();
      await page.getByRole("button", { name: `Test ${MODEL}` }).click();
      await expect(page.getByText(/256 dimensions in [\d.]+ m?s/)).toBeVisible();
      await page.getByLabel("Name", { exact: true }).fill("Rented machine");
      await page.getByRole("button", { name: "Add channel" }).click();
      await expect(rowOf(page, "Rented machine").first()).toContainText(MODEL);
      await routed.call("/api/upstreams/allowed", {
        base_url: `${standby.origin}/v1`,
        password: OWNER.password,
      });
      await routed.call("/api/channels", {
        name: "Standby",
        provider: "openai",
        base_url: `${standby.origin}/v1`,
        keys: [UPSTREAM_KEY],
        models: [{ name: MODEL, upstream_name: MODEL, operation: "embeddings" }],
        priority: 900,
      });
    });

    await test.step("call, and see it in overview, usage and logs", async () => {
      await page.goto(url);
      const recentCalls = page.getByRole("region", { name: "Recent requests" });
      await expect(recentCalls.getByText("Live", { exact: true })).toBeVisible();
      expect(await routed.embed(MODEL)).toBe(200);
      await expect(recentCalls.getByRole("listitem").filter({ hasText: MODEL })).toHaveCount(1);
      await page.goto(`${url}/usage?model=${MODEL}`);
      await expect(page.getByRole("table", { name: "Requests", exact: true })).toContainText(MODEL);
      await openNewest(page, url);
      await expect(drawer(page)).toContainText("Rented machine");
    });

    await test.step("break it: the circuit opens and calls fail over", async () => {
      await page.goto(url);
      await expect(page.getByText("Live", { exact: true })).toBeVisible();
      routed.accepted.key = "another-key";
      expect(await routed.embed(MODEL)).toBe(200);
      expect(standby.ledger.length).toBe(1);
      await page.locator("summary").filter({ hasText: "Incidents" }).click();
      await expect(page.getByText("Rented machine is down")).toBeVisible();
      await openNewest(page, url);
      await expect(drawer(page).getByRole("listitem").filter({ hasText: "Attempt 1" })).toContainText(
        "Rented machine",
      );
      await expect(drawer(page).getByRole("listitem").filter({ hasText: "Attempt 2" })).toContainText(
        "Standby",
      );
      expect(await routed.embed(MODEL)).toBe(200);
    });

    const alert = page.getByRole("listitem").filter({ hasText: "Rented machine is down" });
    await test.step("see the alert", async () => {
      await page.goto(`${url}/alerts`);
      await expect(alert).toBeVisible({ timeout: 110_000 });
      await expect(alert).toContainText(`${MODEL} is served by Standby`);
      await alert.getByRole("link", { name: "View channel" }).click();
      await expect(page).toHaveURL(/\/channels\/chn_/);
      await expect(
        page.getByRole("listitem").filter({ hasText: "Recovered by another attempt" }),
      ).toContainText(MODEL);
    });

    await test.step("repair it and resume traffic", async () => {
      routed.accepted.key = UPSTREAM_KEY;
      await page.getByRole("button", { name: "Resume traffic" }).first().click();
      const before = routed.upstream.ledger.length;
      await expect
        .poll(async () => {
          expect(await routed.embed(MODEL)).toBe(200);
          return routed.upstream.ledger.length;
        })
        .toBeGreaterThan(before);
      await page.goto(`${url}/alerts`);
      // Resolved after 45 s in which no instance saw the circuit open.
      await expect(page.getByText("Rented machine was down")).toBeVisible({ timeout: 90_000 });
    });
    await standby.close();
  });
});

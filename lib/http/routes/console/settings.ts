import { clearCaches } from "../../../console/settings/apply-settings";
import { downloadBackup } from "../../../console/settings/backup";
import { exportSettings } from "../../../console/settings/file/export";
import { importFile } from "../../../console/settings/file/import";
import { readInstanceFacts } from "../../../console/settings/instance-facts";
import { createMetricsToken, removeMetricsToken } from "../../../console/settings/metrics-token";
import { showSettings, updateSettings } from "../../../console/settings/update";
import { MAX_FILE_BYTES } from "../../../contracts/console/settings-file";
import { consoleRoute } from "../../core/route";

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

export const SETTINGS_ROUTES = [
  consoleRoute("GET /api/settings", {
    auth: "adminSession",
    summary: "Show the instance's settings",
    handle: async (ctx) => ({ data: await showSettings(ctx) }),
  }),
  consoleRoute("PATCH /api/settings", {
    auth: "adminSession",
    summary: "Change the instance's settings",
    handle: async (ctx, { body }) => ({ data: await updateSettings(ctx, body) }),
  }),
  consoleRoute("GET /api/settings/instance", {
    auth: "adminSession",
    summary: "Show the base values of the settings and those in force",
    handle: async (ctx) => ({ data: await readInstanceFacts(ctx) }),
  }),
  consoleRoute("POST /api/settings/caches/clear", {
    auth: "adminSession",
    summary: "Clear the caches of vectors and speech",
    handle: (ctx) => clearCaches(ctx),
  }),
  consoleRoute("POST /api/settings/metrics-token", {
    auth: "ownerSession",
    summary: "Create the token of /metrics, with the owner's password; it is returned only once",
    handle: async (ctx, { body }) => ({ data: await createMetricsToken(ctx, body) }),
  }),
  consoleRoute("DELETE /api/settings/metrics-token", {
    auth: "ownerSession",
    summary: "Remove the token of /metrics that was made in the console",
    handle: (ctx) => removeMetricsToken(ctx),
  }),
  consoleRoute("POST /api/settings/export", {
    // POST because it writes an audit row: with GET another site's link could do so in the user's name.
    auth: "adminSession",
    summary: "Download channels, models and settings as one file, without secrets",
    async handle(ctx) {
      const file = await exportSettings(ctx);
      const name = `patchbay-settings-${file.exported_at.slice(0, 10)}.json`;
      const body = oneChunk(`${JSON.stringify(file, null, 2)}\n`);
      return { data: null, download: { contentType: "application/json; charset=utf-8", name, body } };
    },
  }),
  consoleRoute("POST /api/settings/import", {
    auth: "adminSession",
    maxBodyBytes: MAX_FILE_BYTES,
    summary: "Import a file of channels, models and settings, or report the changes",
    handle: async (ctx, { body }) => ({ data: await importFile(ctx, body) }),
  }),
  consoleRoute("POST /api/settings/backup", {
    auth: "ownerSession",
    summary: "Download a copy of the whole store, with the owner's password (SQLite)",
    async handle(ctx, { body: proof }) {
      const { name, body } = await downloadBackup(ctx, proof);
      return { data: null, download: { contentType: "application/vnd.sqlite3", name, body } };
    },
  }),
];

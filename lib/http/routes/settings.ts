import { z } from "zod";
import {
  InstanceFacts,
  MetricsToken,
  OwnerProof,
  UpdateSettings,
  VersionedSettings,
} from "../../contracts/settings";
import { requireAdmin } from "../../domain/auth/guards";
import { clearCaches } from "../../domain/settings/clear-caches";
import { readInstanceFacts } from "../../domain/settings/instance-facts";
import { makeMetricsToken, removeMetricsToken } from "../../domain/settings/metrics-token";
import { updateSettings } from "../../domain/settings/update";
import { readVersioned } from "../../domain/settings/version";
import { consoleRoute } from "../route";

export const SETTINGS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/settings",
    auth: "admin",
    data: VersionedSettings,
    summary: "Show the instance's settings",
    async handle(ctx) {
      requireAdmin(ctx);
      return { data: await readVersioned(ctx.store) };
    },
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/settings",
    auth: "admin",
    body: UpdateSettings,
    data: VersionedSettings,
    summary: "Change the instance's settings",
    handle: async (ctx, { body }) => ({ data: await updateSettings(ctx, body) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/settings/instance",
    auth: "admin",
    data: InstanceFacts,
    summary: "Show what stands under the settings and what is in force",
    handle: async (ctx) => ({ data: await readInstanceFacts(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/settings/caches/clear",
    auth: "admin",
    body: z.strictObject({}),
    summary: "Forget the vectors and the speech kept in memory",
    async handle(ctx) {
      await clearCaches(ctx);
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/settings/metrics-token",
    auth: "session",
    body: OwnerProof,
    data: MetricsToken,
    summary: "Make the token of /metrics, with the owner's password; it is shown this once",
    handle: async (ctx, { body }) => ({ data: await makeMetricsToken(ctx, body) }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/settings/metrics-token",
    auth: "session",
    summary: "Remove the token of /metrics that was made in the console",
    async handle(ctx) {
      await removeMetricsToken(ctx);
      return { data: null };
    },
  }),
];

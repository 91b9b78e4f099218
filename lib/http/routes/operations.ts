import { z } from "zod";
import { readSettings } from "../../console/access/read-settings";
import { isSameSecret } from "../../console/auth/tokens";
import { listInstances } from "../../console/instances/list";
import { digestOf } from "../../console/settings/metrics-token";
import { AppError } from "../../errors";
import { type Inbound, jsonReply, type Outbound, textReply } from "../core/exchange";
import { describeRoutes } from "../core/openapi/describe-routes";
import { consoleRoute, type PlainRoute, type Route } from "../core/route";

/**
 * Checks access to the metrics. If there is a metrics token (from the environment, else created in the console), the
 * request must carry it as its bearer token; otherwise only direct connections from this machine are accepted. Throws
 * `forbidden`, `unauthenticated`.
 */
function requireMetricsReader(
  token: string | null,
  createdTokenDigest: string | null,
  request: Inbound,
): void {
  if (token === null && createdTokenDigest === null) {
    if (request.peer.isLocal) return;
    const message =
      "Metrics are available only from this machine until PATCHBAY_METRICS_TOKEN is set or a token is created in Settings.";
    throw new AppError("forbidden", message);
  }
  const [scheme = "", given = ""] = (request.headers.get("authorization") ?? "").split(" ");
  const isValid =
    token === null ? isSameSecret(digestOf(given), createdTokenDigest ?? "") : isSameSecret(given, token);
  if (scheme.toLowerCase() !== "bearer" || !isValid)
    throw new AppError("unauthenticated", "Send the metrics token as 'Authorization: Bearer <token>'.");
}

const metricsRoute: PlainRoute = {
  surface: "plain",
  method: "GET",
  path: "/metrics",
  summary: "Numbers for Prometheus",
  takesMetricsToken: true,
  content: {
    "text/plain": z.string().meta({ examples: ["# HELP up Whether it runs\n# TYPE up gauge\nup 1\n"] }),
  },
  async handle({ metrics, instance }, request) {
    const { exposition } = metrics;
    if (exposition === undefined)
      throw new AppError("not_found", "Metrics are not available in this process.");
    requireMetricsReader(exposition.token, instance.metricsTokenDigest ?? null, request);
    return textReply(200, await exposition.render(), exposition.contentType);
  },
};

export const OPERATIONS_ROUTES: readonly Route[] = [
  consoleRoute("GET /api/health/live", {
    auth: "none",
    summary: "Reports that the process runs",
    handle: async () => ({ data: { status: "live" as const } }),
  }),
  consoleRoute("GET /api/health/ready", {
    auth: "none",
    summary: "Reports that the store answers and the server is not about to stop",
    async handle({ instance, store }) {
      if (instance.draining && !instance.isReplaced)
        throw new AppError("overloaded", "The server is shutting down.");
      await store.ping();
      return { data: { status: "ready" as const } };
    },
  }),
  consoleRoute("GET /api/status", {
    auth: "none",
    summary: "Reports whether the instance is set up, and its public settings",
    async handle({ store, caller, instance }) {
      const [setup, settings] = await Promise.all([store.setup.isSetUp(), readSettings(store)]);
      const { self_use_mode, demo_site, self_registration } = settings;
      const known = caller.kind === "anonymous" ? {} : { version: instance.version };
      return {
        data: {
          setup,
          self_use_mode,
          demo_site,
          self_registration,
          password_minimum: instance.passwordMinimum,
          ...known,
        },
      };
    },
  }),
  metricsRoute,
];

export const INSTANCES_ROUTES = [
  consoleRoute("GET /api/instances", {
    auth: "adminSession",
    summary: "List the processes that serve this Patchbay, with their load and version",
    handle: async (ctx) => ({ data: await listInstances(ctx) }),
  }),
];

/** The `/openapi.json` route, which describes `routes` and itself. */
export function openApiRoute(routes: readonly Route[]): PlainRoute {
  let document: Outbound | undefined;
  const route: PlainRoute = {
    surface: "plain",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    content: { "application/json": z.looseObject({ openapi: z.literal("3.1.0") }) },
    async handle({ clock }) {
      document ??= jsonReply(200, describeRoutes([...routes, route], clock.now()));
      return document;
    },
  };
  return route;
}

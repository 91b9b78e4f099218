import { listAlerts, markAlertSeen, summarizeAlerts } from "../../../console/alerts/list";
import { testWebhook } from "../../../console/alerts/test-webhook";
import { createWebhookSecret } from "../../../console/alerts/webhook-secret";
import {
  Alert,
  AlertsQuery,
  AlertsSummary,
  WebhookSecret,
  WebhookTest,
} from "../../../contracts/console/alerts";
import { listOf } from "../../../contracts/paging";
import { consoleRoute } from "../../core/route";

export const ALERTS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/alerts",
    auth: "adminSession",
    query: AlertsQuery,
    data: listOf(Alert),
    summary: "List alerts, open ones first",
    // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
    handle: async (ctx, { query }) => ({ data: await listAlerts(ctx, query as AlertsQuery) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/alerts/summary",
    auth: "adminSession",
    data: AlertsSummary,
    summary: "Count open alerts",
    handle: async (ctx) => ({ data: await summarizeAlerts(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/alerts/{id}/seen",
    auth: "adminSession",
    data: Alert,
    summary: "Mark an alert as seen",
    handle: async (ctx, { params }) => ({ data: await markAlertSeen(ctx, params.id ?? "") }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/alerts/webhook/secret",
    auth: "adminSession",
    data: WebhookSecret,
    summary: "Create a new secret that signs webhook messages; it is returned only once",
    handle: async (ctx) => ({ data: await createWebhookSecret(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/alerts/webhook/test",
    auth: "adminSession",
    data: WebhookTest,
    summary: "Post a signed test message to the webhook",
    handle: async (ctx) => ({ data: await testWebhook(ctx) }),
  }),
];

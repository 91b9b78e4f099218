import { checkAlert } from "../../../console/alerts/check";
import { testWebhook } from "../../../console/alerts/deliver";
import {
  endAlertSnooze,
  listAlerts,
  markAlertSeen,
  snoozeAlert,
  summarizeAlerts,
} from "../../../console/alerts/manage";
import { createWebhookSecret } from "../../../console/alerts/webhook-credentials";
import { consoleRoute } from "../../core/route";

export const ALERTS_ROUTES = [
  consoleRoute("GET /api/alerts", {
    auth: "adminSession",
    summary: "List alerts, open ones first",
    handle: async (ctx, { query }) => ({ data: await listAlerts(ctx, query) }),
  }),
  consoleRoute("GET /api/alerts/summary", {
    auth: "adminSession",
    summary: "Count open alerts",
    handle: async (ctx) => ({ data: await summarizeAlerts(ctx) }),
  }),
  consoleRoute("POST /api/alerts/{id}/seen", {
    auth: "adminSession",
    summary: "Mark an alert as seen",
    handle: async (ctx, { params }) => ({ data: await markAlertSeen(ctx, params.id) }),
  }),
  consoleRoute("POST /api/alerts/{id}/check", {
    auth: "adminSession",
    summary: "Probe the recovering channel of an open alert",
    handle: async (ctx, { params }) => ({ data: await checkAlert(ctx, params.id) }),
  }),
  consoleRoute("POST /api/alerts/{id}/snooze", {
    auth: "adminSession",
    summary: "Send nothing about an open alert for a time",
    handle: async (ctx, { params, body }) => ({ data: await snoozeAlert(ctx, params.id, body) }),
  }),
  consoleRoute("POST /api/alerts/{id}/unsnooze", {
    auth: "adminSession",
    summary: "End a snooze and send the alert",
    handle: async (ctx, { params }) => ({ data: await endAlertSnooze(ctx, params.id) }),
  }),
  consoleRoute("POST /api/alerts/webhook/secret", {
    auth: "adminSession",
    summary: "Create a new secret that signs webhook messages; it is returned only once",
    handle: async (ctx) => ({ data: await createWebhookSecret(ctx) }),
  }),
  consoleRoute("POST /api/alerts/webhook/test", {
    auth: "adminSession",
    summary: "Post a test message to a webhook",
    handle: async (ctx, { body }) => ({ data: await testWebhook(ctx, body) }),
  }),
];

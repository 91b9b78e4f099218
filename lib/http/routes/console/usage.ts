import { requireUser } from "../../../console/access/guards";
import { exportPages, exportUsage, listUsage, showUsage } from "../../../console/usage/entries";
import { listRejections } from "../../../console/usage/list-rejections";
import { readOverview } from "../../../console/usage/overview";
import { summarizeUsage } from "../../../console/usage/summarize";
import { REJECTION_COLUMNS } from "../../../contracts/console/rejections";
import { USAGE_EXPORT_COLUMNS } from "../../../contracts/console/usage";
import { exportFile } from "../../console/export-file";
import { consoleRoute } from "../../core/route";

export const USAGE_ROUTES = [
  consoleRoute("GET /api/usage", {
    auth: "sessionOrManageKey",
    summary: "List calls, newest first; members see their own",
    handle: async (ctx, { query }) => ({ data: await listUsage(ctx, query) }),
  }),
  consoleRoute("GET /api/usage/summary", {
    auth: "sessionOrManageKey",
    summary:
      "Sum calls over a range by minute, hour or day, and by key, user, model, channel, operation, tag or end user; " +
      "members see their own",
    handle: async (ctx, { query }) => ({ data: await summarizeUsage(ctx, query) }),
  }),
  consoleRoute("GET /api/usage/rejected", {
    auth: "sessionOrManageKey",
    summary:
      "List requests that were refused before a channel was asked, by minute, key, model and error; members see " +
      "those of their own keys",
    async handle(ctx, { query }) {
      const { items, nextCursor } = await listRejections(ctx, query);
      return { data: { items, next_cursor: nextCursor } };
    },
  }),
  consoleRoute("GET /api/usage/rejected/export", {
    auth: "sessionOrManageKey",
    summary:
      "Download rejected requests as CSV or JSON lines, latest first; members get those of their own keys",
    async handle(ctx, { query: { format, ...filters } }) {
      requireUser(ctx);
      const pages = exportPages(ctx, (now, page) => listRejections(now, { ...filters, ...page }));
      const file = exportFile("rejected", format, REJECTION_COLUMNS, pages, ctx.caller);
      return { data: null, download: file };
    },
  }),
  consoleRoute("GET /api/usage/export", {
    auth: "sessionOrManageKey",
    summary: "Download calls as CSV or JSON lines, newest first; members get their own",
    async handle(ctx, { query: { format, ...filters } }) {
      requireUser(ctx);
      const file = exportFile("usage", format, USAGE_EXPORT_COLUMNS, exportUsage(ctx, filters), ctx.caller);
      return { data: null, download: file };
    },
  }),
  consoleRoute("GET /api/usage/{id}", {
    auth: "sessionOrManageKey",
    summary:
      "Show one call with its timeline, by its ID or the newest of a request ID; members see their own",
    handle: async (ctx, { params }) => ({ data: await showUsage(ctx, params.id) }),
  }),
];

export const OVERVIEW_ROUTES = [
  consoleRoute("GET /api/overview", {
    auth: "sessionOrManageKey",
    summary: "Figures of a range and of the time before it: over time, by model, channel, key and route",
    handle: async (ctx, { query }) => ({ data: await readOverview(ctx, query) }),
  }),
];

import { readOverview } from "../../../console/usage/overview";
import { Overview, OverviewQuery } from "../../../contracts/console/overview";
import { consoleRoute } from "../../core/route";

export const OVERVIEW_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/overview",
    auth: "manage",
    query: OverviewQuery,
    data: Overview,
    summary: "Figures of a range and of the time before it: over time, by model, channel, key and route",
    handle: async (ctx, { query }) => ({
      // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
      data: await readOverview(ctx, query as OverviewQuery),
    }),
  }),
];

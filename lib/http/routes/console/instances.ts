import { listInstances } from "../../../console/instances/list";
import { consoleRoute } from "../../core/route";

export const INSTANCES_ROUTES = [
  consoleRoute("GET /api/instances", {
    auth: "adminSession",
    summary: "List the processes that serve this Patchbay, with their load and version",
    handle: async (ctx) => ({ data: await listInstances(ctx) }),
  }),
];

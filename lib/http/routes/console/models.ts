import { createModel, deleteModel, listModels, updateModel } from "../../../console/models/manage";
import { previewModelRoute } from "../../../console/models/route";
import { consoleRoute } from "../../core/route";

export const CONSOLE_MODELS_ROUTES = [
  consoleRoute("GET /api/models", {
    auth: "adminOrManageKey",
    summary: "List models with their prices and channels",
    handle: async (ctx, { query }) => ({ data: await listModels(ctx, query) }),
  }),
  consoleRoute("POST /api/models", {
    auth: "adminOrManageKey",
    summary: "Create a model",
    handle: async (ctx, { body }) => ({ data: await createModel(ctx, body) }),
  }),
  consoleRoute("PATCH /api/models/{model}", {
    auth: "adminOrManageKey",
    summary: "Change a model's names, prices and limits",
    handle: async (ctx, { params, body }) => ({ data: await updateModel(ctx, params.model, body) }),
  }),
  consoleRoute("DELETE /api/models/{model}", {
    auth: "adminOrManageKey",
    summary: "Delete a model",
    handle: (ctx, { params }) => deleteModel(ctx, params.model),
  }),
  consoleRoute("GET /api/models/{model}/route", {
    auth: "adminOrManageKey",
    summary: "Show where a call for a model would go at this moment",
    handle: async (ctx, { params }) => ({ data: await previewModelRoute(ctx, params.model) }),
  }),
];

import { createModel, deleteModel, listModels, updateModel } from "../../../console/models/manage";
import { previewModelRoute } from "../../../console/models/route";
import { RoutePreview } from "../../../contracts/console/routing";
import { CreateModel, Model, ModelList, UpdateModel } from "../../../contracts/gateway/models";
import { consoleRoute } from "../../core/route";

export const CONSOLE_MODELS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/models",
    auth: "admin",
    data: ModelList,
    summary: "List models with their prices and channels",
    handle: async (ctx) => ({ data: await listModels(ctx) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/models",
    auth: "admin",
    body: CreateModel,
    data: Model,
    summary: "Create a model",
    handle: async (ctx, { body }) => ({ data: await createModel(ctx, body) }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/models/{model}",
    auth: "admin",
    body: UpdateModel,
    data: Model,
    summary: "Change a model's names, prices and limits",
    handle: async (ctx, { params, body }) => ({ data: await updateModel(ctx, params.model ?? "", body) }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/models/{model}",
    auth: "admin",
    summary: "Delete a model",
    async handle(ctx, { params }) {
      await deleteModel(ctx, params.model ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "GET",
    path: "/api/models/{model}/route",
    auth: "admin",
    data: RoutePreview,
    summary: "Show where a call for a model would go at this moment",
    handle: async (ctx, { params }) => ({ data: await previewModelRoute(ctx, params.model ?? "") }),
  }),
];

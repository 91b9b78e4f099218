import { createKey, createPlaygroundKey } from "../../../console/api-keys/create";
import { deleteKey, getKey, listKeys } from "../../../console/api-keys/manage";
import { rotateKey } from "../../../console/api-keys/rotate";
import { updateKey } from "../../../console/api-keys/update";
import { consoleRoute } from "../../core/route";

export const KEYS_ROUTES = [
  consoleRoute("GET /api/keys", {
    auth: "sessionOrManageKey",
    summary: "List API keys; members see their own, administrators all or one user's",
    handle: async (ctx, { query }) => ({ data: await listKeys(ctx, query) }),
  }),
  consoleRoute("POST /api/keys", {
    auth: "sessionOrManageKey",
    summary: "Create an API key; its secret is returned only once",
    handle: async (ctx, { body }) => ({ data: await createKey(ctx, body) }),
  }),
  consoleRoute("POST /api/keys/playground", {
    auth: "session",
    summary: "Create a key for the playgrounds, valid for 15 minutes",
    handle: async (ctx) => ({ data: await createPlaygroundKey(ctx) }),
  }),
  consoleRoute("GET /api/keys/{id}", {
    auth: "sessionOrManageKey",
    summary: "Show an API key",
    handle: async (ctx, { params }) => ({ data: await getKey(ctx, params.id) }),
  }),
  consoleRoute("PATCH /api/keys/{id}", {
    auth: "sessionOrManageKey",
    summary: "Change what an API key may do",
    handle: async (ctx, { params, body }) => ({ data: await updateKey(ctx, params.id, body) }),
  }),
  consoleRoute("DELETE /api/keys/{id}", {
    auth: "sessionOrManageKey",
    summary: "Revoke an API key",
    handle: (ctx, { params }) => deleteKey(ctx, params.id),
  }),
  consoleRoute("POST /api/keys/{id}/rotate", {
    auth: "sessionOrManageKey",
    summary: "Replace an API key; the old one may stay valid for a while",
    handle: async (ctx, { params, body }) => ({ data: await rotateKey(ctx, params.id, body) }),
  }),
];

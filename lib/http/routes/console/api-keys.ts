import { createKey } from "../../../console/api-keys/create";
import { createPlaygroundKey } from "../../../console/api-keys/create-playground";
import { deleteKey, getKey, listKeys } from "../../../console/api-keys/manage";
import { rotateKey } from "../../../console/api-keys/rotate";
import { updateKey } from "../../../console/api-keys/update";
import {
  ApiKey,
  ApiKeyWithSecret,
  CreateKey,
  KeyQuery,
  PlaygroundKey,
  RotateKey,
  UpdateKey,
} from "../../../contracts/console/api-keys";
import { listOf } from "../../../contracts/paging";
import { consoleRoute } from "../../core/route";

export const KEYS_ROUTES = [
  consoleRoute({
    method: "GET",
    path: "/api/keys",
    auth: "manage",
    query: KeyQuery,
    data: listOf(ApiKey),
    summary: "List API keys; members see their own, administrators all or one user's",
    // The route pipeline has parsed the query with the schema above; its declared type is that of every route.
    handle: async (ctx, { query }) => ({ data: await listKeys(ctx, query as KeyQuery) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/keys",
    auth: "manage",
    body: CreateKey,
    data: ApiKeyWithSecret,
    summary: "Create an API key; its secret is returned only once",
    handle: async (ctx, { body }) => ({ data: await createKey(ctx, body) }),
  }),
  consoleRoute({
    method: "POST",
    path: "/api/keys/playground",
    auth: "session",
    data: PlaygroundKey,
    summary: "Create a key for the playgrounds, valid for 15 minutes",
    handle: async (ctx) => ({ data: await createPlaygroundKey(ctx) }),
  }),
  consoleRoute({
    method: "GET",
    path: "/api/keys/{id}",
    auth: "manage",
    data: ApiKey,
    summary: "Show an API key",
    handle: async (ctx, { params }) => ({ data: await getKey(ctx, params.id ?? "") }),
  }),
  consoleRoute({
    method: "PATCH",
    path: "/api/keys/{id}",
    auth: "manage",
    body: UpdateKey,
    data: ApiKey,
    summary: "Change what an API key may do",
    handle: async (ctx, { params, body }) => ({ data: await updateKey(ctx, params.id ?? "", body) }),
  }),
  consoleRoute({
    method: "DELETE",
    path: "/api/keys/{id}",
    auth: "manage",
    summary: "Revoke an API key",
    async handle(ctx, { params }) {
      await deleteKey(ctx, params.id ?? "");
      return { data: null };
    },
  }),
  consoleRoute({
    method: "POST",
    path: "/api/keys/{id}/rotate",
    auth: "manage",
    body: RotateKey,
    data: ApiKeyWithSecret,
    summary: "Replace an API key; the old one may stay valid for a while",
    handle: async (ctx, { params, body }) => ({ data: await rotateKey(ctx, params.id ?? "", body) }),
  }),
];

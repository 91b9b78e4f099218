import type { Route } from "../route";
import type { Json } from "./json-schema";

/** `POST /api/keys/{id}/rotate` → `postApiKeysByIdRotate`: the operation ID that links use. */
export function operationIdOf({ method, path }: Pick<Route, "method" | "path">): string {
  const words = path.replace(/\{(\w+)\}/g, " by $1 ").match(/[A-Za-z0-9]+/g) ?? [];
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return method.toLowerCase() + words.map(capital).join("");
}

/** JSON pointers to the path parameter's value in replies of the parent collection. */
interface Pointers {
  /** In the reply of the create operation; null: there is none. */
  created: string | null;
  listed: string;
}

const IDS: Pointers = { created: "/data/id", listed: "/data/items/0/id" };

/** Keyed by the path up to its parameter. */
const POINTERS: Readonly<Record<string, Pointers>> = {
  "/api/keys": IDS,
  "/api/users": IDS,
  "/api/invites": IDS,
  "/api/channels": IDS,
  "/api/alerts": IDS,
  "/api/usage": IDS,
  "/api/user/sessions": IDS,
  "/api/models": { created: "/data/name", listed: "/data/items/0/name" },
  "/api/voices": { created: null, listed: "/data/installed/0/name" },
  "/api/upstreams/allowed": { created: "/data/targets/0", listed: "/data/targets/0" },
  "/v1/models": { created: null, listed: "/data/0/id" },
  "/v1beta/models": { created: null, listed: "/models/0/baseModelId" },
};

const INSPECT_LINK = { path: "/api/invites/inspect", body: { token: "$response.body#/data/token" } };

/** Operations whose request body takes a value from another operation's reply. */
const BODY_LINKS: Readonly<Record<string, readonly { path: string; body: Json }[]>> = {
  "POST /api/invites": [INSPECT_LINK],
  "POST /api/users/{id}/password_reset": [INSPECT_LINK],
};

function parameterOf(path: string, collection: string): string | null {
  const rest = path.startsWith(`${collection}/{`) ? path.slice(collection.length) : "";
  return /^\/\{(\w+)\}/.exec(rest)?.[1] ?? null;
}

/** Links from the reply of a list or create operation to every operation that takes the id. */
export function linksOf(route: Route, routes: readonly Route[]): Json | null {
  const pointers = POINTERS[route.path];
  const pointer =
    route.method === "GET" ? pointers?.listed : route.method === "POST" ? pointers?.created : null;
  const links: Json = {};
  for (const target of pointer ? routes : []) {
    const parameter = parameterOf(target.path, route.path);
    // The gateway's model list does not say which operation a model supports.
    if (parameter === null || (target.surface === "gemini" && target.operation !== null)) continue;
    const operationId = operationIdOf(target);
    links[operationId] = { operationId, parameters: { [parameter]: `$response.body#${pointer}` } };
  }
  for (const { path, body } of BODY_LINKS[`${route.method} ${route.path}`] ?? []) {
    const operationId = operationIdOf({ method: "POST", path });
    links[operationId] = { operationId, requestBody: body };
  }
  return Object.keys(links).length > 0 ? links : null;
}

import { createDispatcher } from "../../http/core/dispatch";
import { createNextAdapter } from "../../http/next/adapter";
import { ROUTES } from "../../http/routes";
import { getContainer } from "./container";

const services = async () => (await getContainer()).services;
const answer = createNextAdapter(createDispatcher(ROUTES, services), services);
const paths = new Set(ROUTES.map((route) => route.path));

/**
 * The handlers of a route file under `app/`, which pass requests to the route table. `path` is a path of the table
 * (`/api/setup`) or a prefix with `/*`, for a catch-all. Every method is exported, so that the table answers 405 in the
 * surface's own JSON. Throws for a path that is not in the table.
 */
export function nextHandlers(path: string) {
  const isKnown = path.endsWith("/*") || paths.has(path);
  if (!isKnown) throw new Error(`The route table has no path ${path}.`);
  return {
    DELETE: answer,
    GET: answer,
    HEAD: answer,
    OPTIONS: answer,
    PATCH: answer,
    POST: answer,
    PUT: answer,
  };
}

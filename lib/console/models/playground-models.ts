import { modelHealth } from "../../gateway/routing/circuit-health";
import type { CatalogEntry } from "../../ports/catalog";
import type { ModelRecord } from "../../ports/store";
import { isPlaygroundId } from "../../ports/store/api-keys";
import { requireUser } from "../access/guards";
import type { ReadContext } from "../context";

/** How many of the user's newest calls are searched for the last one from a playground. */
const RECENT_CALLS = 50;
const HEALTH_RANK = { closed: 0, half_open: 1, open: 2 } as const;

/** 0: free, 1: priced, 2: no price set, so that the upstream may charge. */
function priceRank({ model, routes }: CatalogEntry): number {
  const prices = Object.values(model.prices);
  if (prices.some((price) => price !== null && price > 0)) return 1;
  return routes.every(({ channel }) => channel.embedded) || prices.some((price) => price !== null) ? 0 : 2;
}

/** The built-in embedding engine that alone serves the model, by provider name; null for all other models. */
export function embeddingEngine({ routes }: CatalogEntry): "lexical" | "semantic" | null {
  const engine = (["lexical", "semantic"] as const).find((name) =>
    routes.every(({ channel }) => channel.provider === name),
  );
  return routes.length > 0 ? (engine ?? null) : null;
}

/**
 * True for embedding models of which every channel forwards a task type. Gemini has the field; from gemini-embedding-2
 * on the task is part of the text (ai.google.dev/gemini-api/docs/embeddings).
 */
export const hasTaskTypes = ({ model, routes }: CatalogEntry): boolean =>
  model.operation === "embeddings" &&
  routes.every(
    ({ channel, upstreamName }) => channel.provider === "gemini" && !/gemini-embedding-2/.test(upstreamName),
  );

/**
 * The models of an operation that an enabled channel serves, in the order in which a playground offers them. First the
 * model that the user last called successfully from a playground, unless it is down. The others by health (healthy,
 * recovering, down), then speech models with a default voice first, then free before paid, then semantic before
 * lexical, then by name.
 */
export async function playgroundModels(
  ctx: ReadContext,
  operation: ModelRecord["operation"],
): Promise<CatalogEntry[]> {
  const user = requireUser(ctx);
  const { circuits } = ctx.state;
  const entries = (await ctx.catalog.all()).filter(
    ({ model, routes }) => model.operation === operation && routes.length > 0,
  );
  const recent = { limit: RECENT_CALLS, cursor: null, q: null, userId: user.id, operation };
  const calls = (await ctx.store.ledger.list(recent)).items;
  const last = calls.find((call) => isPlaygroundId(call.keyId) && call.error === null)?.model;
  const healthRank = ({ model, routes }: CatalogEntry) =>
    Math.min(...routes.map(({ channel }) => HEALTH_RANK[modelHealth(circuits, channel, model.name).state]));
  const ranksOf = (entry: CatalogEntry) => {
    const health = healthRank(entry);
    const needsVoice = operation === "speech" && entry.model.defaultVoice === null;
    const isLast = entry.model.name === last && health < HEALTH_RANK.open;
    return [
      isLast ? 0 : 1,
      health,
      needsVoice ? 1 : 0,
      priceRank(entry),
      embeddingEngine(entry) === "lexical" ? 1 : 0,
    ];
  };
  return entries
    .map((entry) => ({ entry, ranks: ranksOf(entry) }))
    .sort((a, b) => {
      const differing = a.ranks.findIndex((rank, index) => rank !== b.ranks[index]);
      if (differing === -1) return a.entry.model.name.localeCompare(b.entry.model.name, "en");
      return (a.ranks[differing] ?? 0) - (b.ranks[differing] ?? 0);
    })
    .map(({ entry }) => entry);
}

import { cookies } from "next/headers";
import type { OverviewPageProps } from "@/components/overview/overview-page";
import { api, cached } from "@/lib/client/api";
import { overviewQuery, STEPS_COOKIE } from "@/lib/client/overview";
import { readRange } from "@/lib/client/range";
import { readSettings } from "@/lib/console/access/read-settings";
import { summarizeAlerts } from "@/lib/console/alerts/manage";
import type { ConsoleServices } from "@/lib/console/context";
import { readOverview } from "@/lib/console/usage/overview";
import { hasTwoFactor } from "@/lib/console/users/to-user";
import { getContainer } from "@/lib/server/process/container";
import type { PageQuery } from "../request";
import { unfinishedSetupStep } from "../setup-state";
import { type PageSession, pageContext } from "./guard";

/** How many of the newest ledger entries and keys are read to decide which first steps are done. */
const RECENT_ITEMS = 50;

type InitialOverview = Pick<
  OverviewPageProps,
  "done" | "areStepsDismissed" | "model" | "hidesSpend" | "now" | "fallback"
>;

/** The overview's initial data: its first steps, and the API responses that the page requests first. */
export async function readInitialOverview(
  pageSession: PageSession,
  query: Awaited<PageQuery["searchParams"]>,
): Promise<InitialOverview> {
  const { services } = await getContainer();
  const { user } = pageSession;
  const now = services.clock.now();
  const settings = await readSettings(services.store);
  const [done, entries, fallback, unfinished] = await Promise.all([
    stepsDone(services, pageSession, settings.self_use_mode),
    services.catalog.all(),
    readFallback(pageSession, query, now),
    user.role === "owner" ? unfinishedSetupStep() : null,
  ]);
  const models = entries.map(({ model }) => ({ name: model.name, operation: model.operation }));
  return {
    // Listed only while the setup is unfinished: a finished setup is not shown as a step.
    done: unfinished === null ? done : { setup: false, ...done },
    areStepsDismissed: (await cookies()).has(STEPS_COOKIE),
    model: models.find(({ operation }) => operation === "speech") ?? models[0],
    hidesSpend: settings.self_use_mode,
    now,
    fallback,
  };
}

/** The API responses that the page requests first, by path, as SWR's `fallback`. */
async function readFallback(
  pageSession: PageSession,
  query: Awaited<PageQuery["searchParams"]>,
  now: number,
): Promise<Record<string, unknown>> {
  const param = (name: string) => [query[name] ?? null].flat()[0] ?? null;
  const range = overviewQuery(readRange({ get: param }, now));
  const ctx = await pageContext(pageSession);
  const overview = cached(api.readOverview, { query: range }, await readOverview(ctx, range));
  if (pageSession.user.role === "member") return overview;
  return { ...overview, ...cached(api.summarizeAlerts, {}, await summarizeAlerts(ctx)) };
}

/**
 * Which first steps this user has done. Members have no upstream and price steps; only owners have a backup step,
 * with SQLite: PostgreSQL has backups of its own.
 */
async function stepsDone(
  { store }: ConsoleServices,
  { user }: PageSession,
  isSelfUse: boolean,
): Promise<OverviewPageProps["done"]> {
  const recent = { limit: RECENT_ITEMS, cursor: null, q: null };
  const [calls, keys, twoFactor] = await Promise.all([
    store.ledger.list({ ...recent, userId: user.id }),
    store.keys.list({ ...recent, ownerId: user.id }),
    hasTwoFactor(store, user.id),
  ]);
  const memberSteps = {
    speech: calls.items.some((call) => call.operation === "speech"),
    embeddings: calls.items.some((call) => call.operation === "embeddings"),
    twoFactor,
    key: keys.items.length > 0,
    call: keys.items.some((key) => key.lastUsedAt !== null),
  };
  if (user.role === "member") return memberSteps;
  const [channels, models] = await Promise.all([store.channels.all(), store.models.all()]);
  return {
    ...memberSteps,
    upstream: channels.some((channel) => !channel.embedded),
    ...(isSelfUse
      ? {}
      : { prices: models.some((model) => Object.values(model.prices).some((price) => price !== null)) }),
    ...(user.role === "owner" && store.kind === "sqlite" ? { backup: await hasBackup(store) } : {}),
  };
}

async function hasBackup(store: ConsoleServices["store"]): Promise<boolean> {
  const backups = await store.audit.list({ limit: 1, cursor: null, q: null, actions: ["store.backup"] });
  return backups.items.length > 0;
}

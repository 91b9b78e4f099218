import type { OverviewPageProps } from "@/components/overview/overview-page";
import { ALERTS_SUMMARY_PATH, overviewPath } from "@/lib/client/overview";
import { readRange } from "@/lib/client/range";
import { readSettings } from "@/lib/console/access/read-settings";
import type { ConsoleServices } from "@/lib/console/context";
import { readOverview } from "@/lib/console/usage/overview";
import { hasTwoFactor } from "@/lib/console/users/to-user";
import { getContainer } from "@/lib/server/process/container";
import type { PageQuery } from "../request";
import { unfinishedSetupStep } from "../setup-state";
import type { requirePageSession } from "./guard";

/** How many of the newest calls and keys are looked at to tell which first steps are done. */
const LOOK_BACK = 50;

type Found = Awaited<ReturnType<typeof requirePageSession>>;
type First = Pick<
  OverviewPageProps,
  "done" | "isSetupUnfinished" | "models" | "hidesSpend" | "now" | "fallback"
>;

/** What the overview shows at once: its steps, and the answers that the page would ask for first. */
export async function readInitialOverview(
  found: Found,
  asked: Awaited<PageQuery["searchParams"]>,
): Promise<First> {
  const { services } = await getContainer();
  const { user } = found;
  const now = services.clock.now();
  const settings = await readSettings(services.store);
  const [done, models, fallback, unfinished] = await Promise.all([
    stepsDone(services, found, settings.self_use_mode),
    services.catalog.all(),
    readAnswers(services, found, asked, now),
    user.role === "owner" ? unfinishedSetupStep() : null,
  ]);
  return {
    done,
    isSetupUnfinished: unfinished !== null,
    models: models.map(({ model }) => ({ name: model.name, operation: model.operation })),
    hidesSpend: settings.self_use_mode,
    now,
    fallback,
  };
}

async function readAnswers(
  services: ConsoleServices,
  { user, session }: Found,
  asked: Awaited<PageQuery["searchParams"]>,
  now: number,
): Promise<Record<string, unknown>> {
  const first = (name: string) => [asked[name] ?? null].flat()[0] ?? null;
  const range = readRange({ get: first }, now);
  const { from, to, interval } = range;
  const ctx = { ...services, caller: { kind: "session" as const, user, session } };
  const overview = await readOverview(ctx, {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    interval,
  });
  if (user.role === "member") return { [overviewPath(range)]: overview };
  const alerts = await services.store.alerts.open();
  return {
    [overviewPath(range)]: overview,
    [ALERTS_SUMMARY_PATH]: {
      open: alerts.length,
      unseen: alerts.filter((alert) => alert.seenAt === null).length,
      webhook_secret: { made: false },
    },
  };
}

/** Which first steps this user has taken; those of operators, and of owners, are missing for others. */
async function stepsDone(
  { store }: ConsoleServices,
  { user }: Found,
  isSelfUse: boolean,
): Promise<OverviewPageProps["done"]> {
  const own = { limit: LOOK_BACK, cursor: null, q: null };
  const [calls, keys, factor] = await Promise.all([
    store.ledger.list({ ...own, userId: user.id }),
    store.keys.list({ ...own, ownerId: user.id }),
    hasTwoFactor(store, user.id),
  ]);
  const everybodys = {
    speech: calls.items.some((call) => call.operation === "speech"),
    embeddings: calls.items.some((call) => call.operation === "embeddings"),
    factor,
    key: keys.items.length > 0,
    call: keys.items.some((key) => key.lastUsedAt !== null),
  };
  if (user.role === "member") return everybodys;
  const [channels, models] = await Promise.all([store.channels.all(), store.models.all()]);
  return {
    ...everybodys,
    upstream: channels.some((channel) => !channel.embedded),
    ...(isSelfUse
      ? {}
      : { prices: models.some((model) => Object.values(model.prices).some((price) => price !== null)) }),
    ...(user.role === "owner" ? { backup: await hasBackup(store) } : {}),
  };
}

async function hasBackup(store: ConsoleServices["store"]): Promise<boolean> {
  const made = await store.audit.list({ limit: 1, cursor: null, q: null, actions: ["store.backup"] });
  return made.items.length > 0;
}

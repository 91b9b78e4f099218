import type { OverviewChannel, OverviewRoute } from "@/lib/contracts/console/overview";

/** Height of a jack's row, in CSS pixels. */
export const ROW = 40;
/** Share of failed calls from which on a cord is red. */
const BREAKS_FROM = 0.2;
const THINNEST = 2;
const THICKEST = 9;

/** Broken cords are in pieces: red and the signal's colour lie too near each other to be told apart by everybody. */
export const STROKES = {
  active: { colour: "stroke-signal", cap: "round", dashes: undefined },
  failing: { colour: "stroke-bad", cap: "butt", dashes: "7 4" },
  idle: { colour: "stroke-line-strong", cap: "round", dashes: "1 5" },
} as const;

export interface Cord {
  key: string;
  model: string;
  channelId: string;
  /** A path in a box 100 wide and as high as the rows. */
  path: string;
  width: number;
  state: keyof typeof STROKES;
}

/**
 * Whether an open circuit keeps calls from a channel, or from one model on it; a disabled channel is not meant to be
 * called.
 */
export function isCircuitOpen(
  channel: Pick<OverviewChannel, "enabled" | "health" | "broken_models"> | undefined,
  model?: string,
): boolean {
  if (channel?.enabled !== true) return false;
  return (
    channel.health?.state === "open" ||
    channel.broken_models.some((one) => one.name === model && one.state === "open")
  );
}

const centre = (row: number) => (row + 0.5) * ROW;

/** A cord hangs: it leaves its jacks level and sags between them. */
function hang(from: number, to: number): string {
  const sag = Math.min(18, 6 + Math.abs(to - from) * 0.08);
  return `M0 ${from}C38 ${from + sag} 62 ${to + sag} 100 ${to}`;
}

/**
 * Cords for the routes between rows that are shown; the busiest is the thickest, by area. A cord breaks where its calls
 * of the range failed, or its circuit is open now (`isOpen`).
 */
export function cordsOf(
  routes: readonly OverviewRoute[],
  models: readonly string[],
  channels: readonly string[],
  isOpen: (channelId: string, model: string) => boolean,
): Cord[] {
  const most = Math.max(...routes.map((route) => route.calls), 1);
  return (
    routes
      .flatMap(({ model, channel_id: channelId, calls, errors }) => {
        const [from, to] = [models.indexOf(model), channels.indexOf(channelId)];
        if (from === -1 || to === -1) return [];
        const failing = isOpen(channelId, model) || (calls > 0 && errors / calls >= BREAKS_FROM);
        const cord: Cord = {
          key: `${model}\n${channelId}`,
          model,
          channelId,
          path: hang(centre(from), centre(to)),
          width: calls === 0 ? 1.5 : THINNEST + Math.sqrt(calls / most) * (THICKEST - THINNEST),
          state: failing ? "failing" : calls > 0 ? "active" : "idle",
        };
        return [cord];
      })
      // Thin ones over thick ones, so that none is hidden.
      .sort((a, b) => b.width - a.width)
  );
}

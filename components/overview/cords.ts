import type { OverviewChannel, OverviewRoute } from "@/lib/contracts/console/overview";

/** Height of a row of models or channels, in CSS pixels. */
export const ROW = 40;
/** Error rate from which on a route is drawn as failing. */
const FAILING_FROM = 0.2;
/** Line widths in CSS pixels. */
const MIN_WIDTH = 2;
const MAX_WIDTH = 9;

/** Failing routes are also dashed: colour-blind users can hardly distinguish their red from the signal colour. */
export const STROKES = {
  active: { colour: "stroke-signal", cap: "round", dashes: undefined },
  failing: { colour: "stroke-bad", cap: "butt", dashes: "7 4" },
  idle: { colour: "stroke-line-strong", cap: "round", dashes: "1 5" },
} as const;

/** The line of one route from a model to a channel, drawn like the patch cord of a patch bay. */
export interface Cord {
  key: string;
  model: string;
  channelId: string;
  /** SVG path in a box 100 wide and as high as the rows. */
  path: string;
  width: number;
  state: keyof typeof STROKES;
}

/** Whether an enabled channel, or one model on it, gets no calls because its circuit is open. */
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

const rowCentre = (row: number) => (row + 0.5) * ROW;

/** A curve that is level at both ends and sags between them; `from` and `to` are y coordinates. */
function cordPath(from: number, to: number): string {
  const sag = Math.min(18, 6 + Math.abs(to - from) * 0.08);
  return `M0 ${from}C38 ${from + sag} 62 ${to + sag} 100 ${to}`;
}

/**
 * Cords of the routes between the shown rows. The width grows with the square root of the calls, failovers included. A
 * route is failing when its error rate in the range is high or its circuit is open now (`isOpen`).
 */
export function cordsOf(
  routes: readonly OverviewRoute[],
  models: readonly string[],
  channels: readonly string[],
  isOpen: (channelId: string, model: string) => boolean,
): Cord[] {
  const maxCalls = Math.max(...routes.map((route) => route.calls + route.failovers), 1);
  return (
    routes
      .flatMap(({ model, channel_id: channelId, failovers, ...ended }) => {
        // A failed attempt counts here as a failed call, even if the call then ended on another channel.
        const calls = ended.calls + failovers;
        const errors = ended.errors + failovers;
        const [from, to] = [models.indexOf(model), channels.indexOf(channelId)];
        if (from === -1 || to === -1) return [];
        const isFailing = isOpen(channelId, model) || (calls > 0 && errors / calls >= FAILING_FROM);
        const cord: Cord = {
          key: `${model}\n${channelId}`,
          model,
          channelId,
          path: cordPath(rowCentre(from), rowCentre(to)),
          width: calls === 0 ? 1.5 : MIN_WIDTH + Math.sqrt(calls / maxCalls) * (MAX_WIDTH - MIN_WIDTH),
          state: isFailing ? "failing" : calls > 0 ? "active" : "idle",
        };
        return [cord];
      })
      // Thick cords first, so that thin ones are drawn over them.
      .sort((a, b) => b.width - a.width)
  );
}

/** State of a model or channel from its cords. */
export function stateOf(cords: readonly Cord[]): Cord["state"] {
  if (cords.some((cord) => cord.state === "active")) return "active";
  return cords.some((cord) => cord.state === "failing") ? "failing" : "idle";
}

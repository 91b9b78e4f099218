import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../contracts/durations";
import { LATENCY_BOUNDS_MS, latencyBucket } from "./latency";
import { type Cell, positionOf } from "./rows";
import { ROLLUP_WIDTH } from "./statements";
import { decodeTrace } from "./trace";

const AT = positionOf("at");
const KEY = positionOf("key_id");
const USER = positionOf("user_id");
const MODEL = positionOf("model");
const CHANNEL = positionOf("channel_id");
const OPERATION = positionOf("operation");
const ERROR = positionOf("error");
const ATTEMPTS = positionOf("attempts");
const TRACE = positionOf("trace");
const LATENCY = positionOf("latency_ms");
const FIRST_BYTE = positionOf("first_byte_ms");
/** Input and output tokens, characters, audio and cost: columns that are summed unchanged. */
const SUMMED = (["input_tokens", "output_tokens", "characters", "audio_ms", "cost_nano"] as const).map(
  positionOf,
);
const BUCKETS = LATENCY_BOUNDS_MS.length + 1;

/** Adds up the rows of `RollUps.rows` by day (UTC), in a fixed order too. */
export function dailyOf(hours: readonly Cell[][]): Cell[][] {
  const days = new Map<string, Cell[]>();
  for (const [hour, ...rest] of hours) {
    const at = Number(hour);
    const cells = [at - (at % DAY_MS), ...rest];
    const name = cells.slice(0, ROLLUP_WIDTH.key).join("\n");
    const known = days.get(name);
    if (known === undefined) {
      days.set(name, cells);
      continue;
    }
    for (let index = ROLLUP_WIDTH.key; index < known.length; index++)
      known[index] = Number(known[index]) + Number(cells[index]);
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cells]) => cells);
}

/** Sums of a group of settled entries, one row per hour and combination, to be added to the roll-ups. */
export class RollUps {
  readonly #sums = new Map<string, { key: Cell[]; sums: number[] }>();
  readonly #failovers = new Map<string, { key: Cell[]; attempts: number }>();

  /** `sign` -1 subtracts an entry that was added before. */
  add(row: readonly Cell[], sign: 1 | -1): void {
    const at = Number(row[AT]);
    const key = [
      at - (at % HOUR_MS),
      row[KEY] ?? "",
      row[USER] ?? "",
      row[MODEL] ?? "",
      row[CHANNEL] ?? "",
      row[OPERATION] ?? "",
    ];
    const name = key.join("\n");
    let entry = this.#sums.get(name);
    if (!entry) {
      entry = { key, sums: Array<number>(ROLLUP_WIDTH.sums).fill(0) };
      this.#sums.set(name, entry);
    }
    const latency = Number(row[LATENCY]);
    const firstByte = row[FIRST_BYTE] ?? null;
    const buckets = Array<number>(BUCKETS).fill(0);
    buckets[latencyBucket(latency)] = 1;
    const amounts = [
      1,
      row[ERROR] === null ? 0 : 1,
      ...SUMMED.map((position) => Number(row[position])),
      latency,
      Number(firstByte ?? 0),
      firstByte === null ? 0 : 1,
      ...buckets,
    ];
    const { sums } = entry;
    for (const [index, amount] of amounts.entries()) sums[index] = (sums[index] ?? 0) + sign * amount;
    if (Number(row[ATTEMPTS]) > 1) this.#addFailovers(row, sign);
  }

  /** Counts failed attempts on other channels than the entry's, which only the trace names. */
  #addFailovers(row: readonly Cell[], sign: 1 | -1): void {
    const at = Number(row[AT]);
    const trace = row[TRACE] ?? null;
    for (const { channelId, error } of decodeTrace(trace === null ? null : String(trace))?.attempts ?? []) {
      if (error === null || channelId === row[CHANNEL]) continue;
      const key = [at - (at % MINUTE_MS), row[MODEL] ?? "", channelId];
      const name = key.join("\n");
      const known = this.#failovers.get(name) ?? { key, attempts: 0 };
      known.attempts += sign;
      this.#failovers.set(name, known);
    }
  }

  /** Failed attempts by minute, model and channel, in a fixed order too. */
  failovers(): Cell[][] {
    return [...this.#failovers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, attempts }]) => [...key, attempts]);
  }

  /** In a fixed order, so that two groups lock their rows in the same order. */
  rows(): Cell[][] {
    return [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { key, sums }]) => [...key, ...sums]);
  }
}

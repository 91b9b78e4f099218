import { DAY_MS, MINUTE_MS } from "@/lib/contracts/durations";

/** Possible steps between the labels of a time axis, in minutes and in calendar days. */
const MINUTE_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720] as const;
const DAY_STEPS = [1, 2, 3, 7, 14, 28, 56, 91, 182, 365] as const;

/**
 * Round values for an axis that starts at 0 and ends at or above `max`, in at most `count` steps of 1, 2 or 5 times a
 * power of ten. `isWhole`: no fractions (counts). The last value is the top of the axis.
 */
export function niceTicks(max: number, count = 4, isWhole = false): number[] {
  const top = max > 0 && Number.isFinite(max) ? max : isWhole ? count : 1;
  const raw = top / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10;
  const step = isWhole ? Math.max(1, nice * power) : nice * power;
  const steps = Math.max(1, Math.ceil(top / step - 1e-9));
  // Multiplies instead of adding up, so that no rounding error accumulates (0.1 + 0.2).
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

export interface TimeTick {
  at: number;
  /** The tick is the start of a day: labelled with a date instead of a time. */
  isDay: boolean;
}

/**
 * Instants to label between two instants: round times of day, or starts of days, in the visitor's time zone; about
 * `count` at most.
 */
export function timeTicks(from: number, to: number, count: number): TimeTick[] {
  const span = to - from;
  if (span <= 0 || count < 1) return [];
  const minutes = MINUTE_STEPS.find((step) => span / (step * MINUTE_MS) <= count);
  const ticks = minutes ? byTimeOfDay(from, to, minutes) : byDay(from, to, count);
  return ticks.filter((tick) => tick.at >= from && tick.at < to);
}

function byTimeOfDay(from: number, to: number, stepMinutes: number): TimeTick[] {
  const ticks: TimeTick[] = [];
  const day = new Date(from);
  for (day.setHours(0, 0, 0, 0); day.getTime() < to; day.setDate(day.getDate() + 1)) {
    for (let minute = 0; minute < 24 * 60; minute += stepMinutes) {
      // Built from local date and time, so that 6:00 stays 6:00 on the day of a clock change.
      const tick = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minute).getTime();
      if (tick > (ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY))
        ticks.push({ at: tick, isDay: minute === 0 });
    }
  }
  return ticks;
}

function byDay(from: number, to: number, count: number): TimeTick[] {
  const days = (to - from) / DAY_MS;
  const step = DAY_STEPS.find((one) => days / one <= count) ?? Math.ceil(days / count);
  const ticks: TimeTick[] = [];
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  if (day.getTime() < from) day.setDate(day.getDate() + 1);
  for (; day.getTime() < to; day.setDate(day.getDate() + step))
    ticks.push({ at: day.getTime(), isDay: true });
  return ticks;
}

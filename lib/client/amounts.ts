import type { Locale } from "../messages/locale";

/** Latin digits in every language, so that figures line up and can be copied. */
const LATIN = { numberingSystem: "latn" } as const;
/** US dollars as `$` in every language: Patchbay has no other currency. */
const DOLLARS = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", ...LATIN } as const;
/** Amounts below this show as "<$0.0001". */
const MIN_DOLLARS = 0.0001;
/** From this amount on two decimals are shown, below it four. */
const CENTS_FROM = 0.1;
/** Decimals of a nano-dollar, the unit in which the ledger counts. */
const DOLLAR_DIGITS = 9;
/** A share above 0 but below this shows as "<0.1%", one that is less than this below 100 % as ">99.9%". */
const MIN_SHARE = 0.001;
/** A share above this (1,000 %) is shown as a factor. */
const FACTOR_FROM = 10;
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** Binary units, as upload limits and file managers count. */
const BYTE_UNITS = ["KB", "MB", "GB", "TB"] as const;
const KILO = 1024;

/** Formats of figures in one language; every page uses these. */
export interface Amounts {
  /** `1,204` */
  count(value: number): string;
  /** Compact count: `1.2K`. */
  short(value: number): string;
  /** `0.42`, at most three decimals. */
  decimal(value: number, digits?: number): string;
  /** Duration from milliseconds: `0.4 ms`, `340 ms`, `1.42 s`, `12 min 5 s`. */
  ms(value: number): string;
  /** Estimated duration, such as a percentile of a histogram: `≈ 1.42 s`. */
  estimatedMs(value: number): string;
  /** Audio length from milliseconds: `7.5 s`, `3.2 min`, `1.4 h`. */
  audio(value: number): string;
  /** Size from bytes: `12 KB`, `3.4 MB`; 1 KB has 1,024 bytes. */
  bytes(value: number): string;
  /** `$12.50`, `$0.60`, `$0.0204`, `<$0.0001`. */
  money(dollars: number): string;
  /** Dollars with all their digits and at least two decimals: `$0.0000204`. */
  exactMoney(dollars: number): string;
  /** Share from 0 to 1: `3.8%`, `<0.1%`; above 1,000 % as a factor: `12×`. */
  share(value: number): string;
  /** `12×`, `1.25×` */
  factor(value: number): string;
}

function createAmounts(locale: Locale): Amounts {
  const format = (options: Intl.NumberFormatOptions) => {
    const numbers = new Intl.NumberFormat(locale, { ...LATIN, ...options });
    return (value: number) => numbers.format(value);
  };
  const count = format({ maximumFractionDigits: 0 });
  const one = format({ maximumFractionDigits: 1 });
  const two = format({ maximumFractionDigits: 2 });
  const cents = format({ ...DOLLARS, minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const small = format({ ...DOLLARS, minimumFractionDigits: 4, maximumFractionDigits: 4 });
  const exactMoney = format({ ...DOLLARS, minimumFractionDigits: 2, maximumFractionDigits: DOLLAR_DIGITS });
  const percent = format({ style: "percent", maximumFractionDigits: 1 });
  const factor = (value: number) => `${value >= FACTOR_FROM ? count(value) : two(value)}×`;
  const ms = (value: number) => {
    if (value < 10) return `${one(value)} ms`;
    if (Math.round(value) < SECOND) return `${count(value)} ms`;
    if (Math.round(value / 100) < MINUTE / 100)
      return `${value < 10 * SECOND ? two(value / SECOND) : one(value / SECOND)} s`;
    const seconds = Math.round(value / SECOND);
    return `${count(Math.floor(seconds / 60))} min ${seconds % 60} s`;
  };
  return {
    count,
    short: format({ notation: "compact", maximumFractionDigits: 1 }),
    decimal: (value, digits = 3) => format({ maximumFractionDigits: digits })(value),
    ms,
    estimatedMs: (value) => `≈ ${ms(value)}`,
    audio(value) {
      if (value < MINUTE) return `${one(value / SECOND)} s`;
      return value < HOUR ? `${one(value / MINUTE)} min` : `${one(value / HOUR)} h`;
    },
    bytes(value) {
      let size = value / KILO;
      let unit = 0;
      while (size >= 1_000 && unit < BYTE_UNITS.length - 1) {
        size /= KILO;
        unit += 1;
      }
      return `${one(size)} ${BYTE_UNITS[unit]}`;
    },
    money(dollars) {
      if (dollars > 0 && dollars < MIN_DOLLARS) return `<${small(MIN_DOLLARS)}`;
      return dollars === 0 || dollars >= CENTS_FROM ? cents(dollars) : small(dollars);
    },
    exactMoney,
    share(value) {
      if (value > 0 && value < MIN_SHARE) return `<${percent(MIN_SHARE)}`;
      if (value < 1 && value > 1 - MIN_SHARE) return `>${percent(1 - MIN_SHARE)}`;
      return value > FACTOR_FROM ? factor(value) : percent(value);
    },
    factor,
  };
}

const known = new Map<Locale, Amounts>();

/** The formats of a language. */
export function amountsIn(locale: Locale): Amounts {
  const amounts = known.get(locale) ?? createAmounts(locale);
  known.set(locale, amounts);
  return amounts;
}

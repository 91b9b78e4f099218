const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

function firstOf(table: readonly [RegExp, string][], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}

/** Describes a user agent for the list of sessions, such as `Firefox on Linux`, without its own text. */
export function describeDevice(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, 512);
  const browser = firstOf(BROWSERS, text);
  const system = firstOf(SYSTEMS, text);
  if (browser === undefined) return system === undefined ? "Unknown device" : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/**
 * The model name selects the injected failure: `tts--cut-at-byte-100` is the model `tts` with its reply cut after 100
 * bytes of the body. `tts` alone works.
 */
export interface InjectedFailure {
  kind: string;
  /** The number at the end of the name, or 0. */
  n: number;
}

export function readModel(name: string): { base: string; failure: InjectedFailure | null } {
  const [base = "", spec] = name.split("--");
  if (spec === undefined) return { base, failure: null };
  const [, kind = spec, n = "0"] = /^(.*?)(?:-(\d+))?$/.exec(spec) ?? [];
  return { base, failure: { kind, n: Number(n) } };
}

/** `limited-<index>` answers 429 with this form of Retry-After (null: no header); the expected wait in milliseconds. */
export const RETRY_AFTER_FORMS: readonly { header: string | null; expectedMs: number | undefined }[] = [
  { header: null, expectedMs: undefined },
  { header: "0", expectedMs: 1_000 },
  { header: "1", expectedMs: 1_000 },
  { header: "7", expectedMs: 7_000 },
  { header: " 7 ", expectedMs: 7_000 },
  { header: "1.5", expectedMs: 1_500 },
  { header: "60", expectedMs: 60_000 },
  { header: "120", expectedMs: 120_000 },
  { header: "121", expectedMs: 120_000 },
  { header: "1000000000", expectedMs: 120_000 },
  { header: "99999999999999999999999999", expectedMs: 120_000 },
  { header: "-1", expectedMs: 1_000 },
  { header: "+5", expectedMs: 5_000 },
  { header: "0x10", expectedMs: undefined },
  { header: "soon", expectedMs: undefined },
  { header: "7 bananas", expectedMs: undefined },
  { header: "Infinity", expectedMs: undefined },
  { header: "Fri, 32 Foo 2026 00:00:00 GMT", expectedMs: undefined },
  { header: "Mon, 01 Jan 2001 00:00:00 GMT", expectedMs: 1_000 },
  { header: "Fri, 01 Jan 2100 00:00:00 GMT", expectedMs: 120_000 },
];

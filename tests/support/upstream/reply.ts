/** The reply of a healthy upstream; failures are injected afterwards. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Written one by one; a single chunk is sent with a content-length. */
  chunks: Buffer[];
  tokens: number;
}

export function json(status: number, value: unknown, tokens = 0): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { "content-type": "application/json" }, chunks: [body], tokens };
}

export function stream(contentType: string, chunks: Buffer[], tokens: number): Reply {
  return { status: 200, headers: { "content-type": contentType }, chunks, tokens };
}

export function parts(bytes: Buffer, size: number): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) all.push(bytes.subarray(at, at + size));
  return all;
}

/** A usage number, or an implausible one by the injected failure. */
export function usageNumber(kind: string, actual: number): unknown {
  switch (kind) {
    case "usage-minus":
      return -1;
    case "usage-text":
      return "5";
    case "usage-huge":
      return 1e308;
    case "usage-wild":
      return 900_000_000;
    case "usage-nought":
      return 0;
    case "usage-half":
      return 1.5;
    case "usage-absent":
      return undefined;
    default:
      return actual;
  }
}

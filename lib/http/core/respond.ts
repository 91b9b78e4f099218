import type { Outbound } from "./exchange";

const encoder = new TextEncoder();

export const JSON_TYPE = "application/json; charset=utf-8";

/** A whole JSON reply. */
export function jsonReply(
  status: number,
  value: unknown,
  headers: Record<string, string | string[]> = {},
): Outbound {
  return {
    status,
    headers: { "content-type": JSON_TYPE, ...headers },
    body: encoder.encode(JSON.stringify(value)),
  };
}

/** A whole text reply. */
export function textReply(status: number, text: string, contentType: string): Outbound {
  return { status, headers: { "content-type": contentType }, body: encoder.encode(text) };
}

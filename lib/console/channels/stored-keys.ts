import type { UpdateChannel } from "../../contracts/console/channels";
import { AppError } from "../../errors";
import type { ChannelKey, ChannelRecord } from "../../ports/store";

function placeOf(baseUrl: string | null | undefined): string | null {
  if (!baseUrl) return null;
  return (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/\/$/, "");
}

/**
 * True when both addresses are one, path and all: gateways and clouds serve a stranger at another path of the same
 * host. Null is the provider's own address; a slash at the end says nothing.
 */
export function isSamePlace(one: string | null | undefined, other: string | null | undefined): boolean {
  return placeOf(one) === placeOf(other);
}

/**
 * A kept key would be shown to whoever answers at the new address, so it does not move there: keys are written anew
 * when the address changes at all (SECURITY EN-4). Throws `invalid`.
 */
export function requireNewKeys(record: ChannelRecord, input: Pick<UpdateChannel, "base_url" | "keys">): void {
  if (input.base_url === undefined || record.keys.length === 0) return;
  if (isSamePlace(input.base_url, record.baseUrl)) return;
  const isKept = input.keys === undefined || input.keys.some((one) => typeof one !== "string");
  if (!isKept) return;
  const message = "The address is another: write its keys anew, those kept stay with the old one.";
  throw new AppError("invalid", message, { issues: [{ path: "keys", message }] });
}

/** The channel's key of that id, the `index`th of what was sent. Throws `invalid`. */
export function keptKey(record: ChannelRecord, id: string, index: number): ChannelKey {
  const kept = record.keys.find((key) => key.id === id);
  if (kept !== undefined) return kept;
  const message = "This channel has no key of that id.";
  throw new AppError("invalid", message, { issues: [{ path: `keys.${index}.id`, message }] });
}

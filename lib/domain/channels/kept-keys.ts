import type { UpdateChannel } from "../../contracts/channels";
import { AppError } from "../../errors";
import type { ChannelKey, ChannelRecord } from "../../ports/store";

function originOf(baseUrl: string | null | undefined): string | null {
  return baseUrl && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null;
}

/**
 * A kept key would be shown to whoever answers at the new address, so it does not move there: keys are written anew
 * when the origin changes (SECURITY EN-4). Throws `invalid`.
 */
export function requireNewKeys(record: ChannelRecord, input: Pick<UpdateChannel, "base_url" | "keys">): void {
  if (input.base_url === undefined || record.keys.length === 0) return;
  if (originOf(input.base_url) === originOf(record.baseUrl)) return;
  const isKept = input.keys === undefined || input.keys.some((one) => typeof one !== "string");
  if (!isKept) return;
  const message = "The address leads to another host: write its keys anew, those kept stay with the old one.";
  throw new AppError("invalid", message, { issues: [{ path: "keys", message }] });
}

/** The channel's key of that id, the `index`th of what was sent. Throws `invalid`. */
export function keptKey(record: ChannelRecord, id: string, index: number): ChannelKey {
  const kept = record.keys.find((key) => key.id === id);
  if (kept !== undefined) return kept;
  const message = "This channel has no key of that id.";
  throw new AppError("invalid", message, { issues: [{ path: `keys.${index}.id`, message }] });
}

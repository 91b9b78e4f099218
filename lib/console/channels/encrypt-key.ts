import { newId } from "../../gateway/new-id";
import { channelKeyAad } from "../../ports/channel-probe";
import type { ChannelKey } from "../../ports/store";
import type { ConsoleServices } from "../context";

/** `****wxyz`; a key too short for that shows nothing. */
function displayOf(key: string): string {
  return key.length >= 12 ? `****${key.slice(-4)}` : "****";
}

/** Encrypts an upstream key, bound to this channel. */
export function encryptKey(
  { cipher, random }: Pick<ConsoleServices, "cipher" | "random">,
  channelId: string,
  key: string,
): ChannelKey {
  const id = newId(random, "chk");
  return {
    id,
    sealed: cipher.encrypt("upstream-key", channelKeyAad(channelId, id), key),
    display: displayOf(key),
  };
}

import type { NewKey, UpdateChannel } from "../../contracts/console/channels";
import { AppError, invalidField } from "../../errors";
import { newId } from "../../gateway/new-id";
import { channelKeyAad } from "../../ports/channel-probe";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import type { ConsoleServices } from "../context";

function normalizeBaseUrl(baseUrl: string | null | undefined): string | null {
  if (!baseUrl) return null;
  return (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/\/$/, "");
}

/**
 * True when both base URLs are the same, path included: on a shared host another path may belong to another customer.
 * Null is the provider's default; a trailing slash is ignored.
 */
export function isSameBaseUrl(one: string | null | undefined, other: string | null | undefined): boolean {
  return normalizeBaseUrl(one) === normalizeBaseUrl(other);
}

/**
 * Stored keys are never sent to a new address: when the base URL changes, keys must be entered again.
 * Throws `invalid`.
 */
export function requireNewKeys(record: ChannelRecord, input: Pick<UpdateChannel, "base_url" | "keys">): void {
  if (input.base_url === undefined || record.keys.length === 0) return;
  if (isSameBaseUrl(input.base_url, record.baseUrl)) return;
  const reusesStoredKeys =
    input.keys === undefined || input.keys.some((one) => typeof one !== "string" && "id" in one);
  if (!reusesStoredKeys) return;
  throw invalidField(
    "keys",
    "The address has changed: enter its keys again, stored keys are only sent to the old address.",
  );
}

/** The channel's stored key with that ID, which was at `index` in the request. Throws `invalid`. */
export function findStoredKey(record: ChannelRecord, id: string, index: number): ChannelKey {
  const stored = record.keys.find((key) => key.id === id);
  if (stored !== undefined) return stored;
  throw invalidField(`keys.${index}.id`, "This channel has no key with that ID.");
}

/** `****wxyz`; of a key with fewer than 12 characters nothing is shown. */
function displayOf(key: string): string {
  return key.length >= 12 ? `****${key.slice(-4)}` : "****";
}

/** The display name of a key: its label, else its last characters. */
export const nameOfKey = ({ label, display }: Pick<ChannelKey, "label" | "display">): string =>
  label ?? display;

/** The display name of the key with that ID; null: none, or a deleted key. */
export function nameOfStoredKey(keys: readonly ChannelKey[], id: string | null): string | null {
  const key = keys.find((one) => one.id === id);
  return key === undefined ? null : nameOfKey(key);
}

/** The key with a label; null removes it, undefined keeps it. */
export function withLabel(key: ChannelKey, label: string | null | undefined): ChannelKey {
  if (label === undefined) return key;
  const { label: _, ...unlabelled } = key;
  return label === null ? unlabelled : { ...unlabelled, label };
}

/** Labels within a channel must differ, ignoring case. Throws `invalid`. */
export function requireUniqueLabels(keys: readonly ChannelKey[]): void {
  const message = "Another key of this channel already has this label.";
  const folded = keys.map((key) => key.label?.toLocaleLowerCase("en"));
  const issues = keys.flatMap((_key, index) => {
    const label = folded[index];
    return label !== undefined && folded.indexOf(label) < index
      ? [{ path: `keys.${index}.label`, message }]
      : [];
  });
  if (issues.length > 0) throw new AppError("invalid", message, { issues });
}

/** Encrypts an upstream key, bound to this channel. */
export function encryptKey(
  { cipher, random }: Pick<ConsoleServices, "cipher" | "random">,
  channelId: string,
  sent: string | NewKey,
): ChannelKey {
  const { key, label } = typeof sent === "string" ? { key: sent, label: undefined } : sent;
  const id = newId(random, "chk");
  return {
    id,
    encrypted: cipher.encrypt("upstream-key", channelKeyAad(channelId, id), key),
    display: displayOf(key),
    label,
  };
}

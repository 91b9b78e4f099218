import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { API_KEY_PATTERN } from "../../contracts/console/api-keys";
import type { Random } from "../../ports/clock";
import { randomBase62, toBase62 } from "../new-id";

const PREFIX = "sk-pb-";
const RANDOM_LENGTH = 32;

function checksum(text: string): string {
  return toBase62(crc32(text), 6);
}

/** True for a well-formed key: prefix, 32 base62 characters, and the CRC32 of both in base62. Reads no store. */
export function isWellFormedKey(text: string): boolean {
  return API_KEY_PATTERN.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

/** SHA-256 of the whole key, base64url: the only form that is stored. */
export function digestKey(text: string): string {
  return hash("sha256", text, "base64url");
}

/** A new key of 190 random bits. */
export function makeKey(random: Random): string {
  const body = `${PREFIX}${randomBase62(random, RANDOM_LENGTH)}`;
  return `${body}${checksum(body)}`;
}

/** `sk-pb-ab…wxyz`: distinguishes keys without revealing them. */
export function displayKey(key: string): string {
  return `${key.slice(0, PREFIX.length + 2)}…${key.slice(-4)}`;
}

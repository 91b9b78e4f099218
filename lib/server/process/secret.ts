import { hkdfSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SettingError } from "./env";

const MINIMUM_CHARACTERS = 32;
/** Secrets that stand in examples, tutorials and generators; parts of one are as bad as the whole. */
const KNOWN_BAD = [
  "changeme",
  "change-me",
  "change_me",
  "secret",
  "password",
  "example",
  "insecure",
  "default",
];

/** Refuses secrets that can be guessed: short ones, those of the examples, and repetitions. Throws SettingError. */
export function checkSecret(name: string, secret: string): string {
  if (Buffer.byteLength(secret, "utf8") < MINIMUM_CHARACTERS)
    throw new SettingError(
      `${name}: must be ${MINIMUM_CHARACTERS} bytes or more (try: openssl rand -base64 48)`,
    );
  const plain = secret.toLowerCase();
  const rest = KNOWN_BAD.reduce((text, bad) => text.replaceAll(bad, ""), plain);
  const isRepetition = new Set(rest).size < 8 || (rest + rest).indexOf(rest, 1) < rest.length;
  if (isRepetition || /^[0-9]+$/.test(rest) || "0123456789abcdefghijklmnopqrstuvwxyz".includes(rest))
    throw new SettingError(`${name}: is one that anybody can guess (try: openssl rand -base64 48)`);
  return secret;
}

function readSecretFile(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR")
      throw new SettingError(`PATCHBAY_DATA_DIR: ${path.dirname(file)} is not a folder`);
    throw new SettingError(`${file}: the instance secret cannot be read`);
  }
}

/** Path of the secret that an instance makes itself. */
export function secretFile(dataDirectory: string): string {
  return path.join(dataDirectory, "secret");
}

/** The instance secret: the one given, else the file `secret` of the data directory; null where there is none yet. */
export function findSecret(given: string | null, dataDirectory: string): string | null {
  if (given !== null) return checkSecret("PATCHBAY_SECRET", given);
  const file = secretFile(dataDirectory);
  const kept = readSecretFile(file);
  return kept === null ? null : checkSecret(file, kept);
}

/** The instance secret; where there is none, a new one is written to the file `secret` (0600). Throws SettingError. */
export function instanceSecret(given: string | null, dataDirectory: string): string {
  const found = findSecret(given, dataDirectory);
  if (found !== null) return found;
  const file = secretFile(dataDirectory);
  const made = randomBytes(48).toString("base64url");
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    // Of two processes that start together one makes the file; the other reads it.
    writeFileSync(file, `${made}\n`, { flag: "wx", mode: 0o600 });
    return made;
  } catch (error) {
    const other =
      error instanceof Error && "code" in error && error.code === "EEXIST" ? readSecretFile(file) : null;
    if (other) return checkSecret(file, other);
    throw new SettingError(`PATCHBAY_DATA_DIR: ${dataDirectory} cannot be written`);
  }
}

/** Where the secret before stands while `rotate-secret` is at work; it still opens what has not been sealed anew. */
function previousFile(dataDirectory: string): string {
  return path.join(dataDirectory, "secret.previous");
}

/** The secrets that still open what was sealed before: those given, and one whose rotation is not finished. */
export function previousSecrets(given: readonly string[], dataDirectory: string): string[] {
  const kept = readSecretFile(previousFile(dataDirectory));
  return [
    ...given.map((one) => checkSecret("PATCHBAY_SECRET_PREVIOUS", one)),
    ...(kept === null ? [] : [kept]),
  ];
}

/** Writes a file of 0600 in one step: it is there whole, or not at all. */
function writePrivate(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
  renameSync(draft, file);
}

/**
 * Makes a new secret file and keeps the one before as `secret.previous`. Does nothing when one stands there: its
 * rotation is to be finished first. Whenever it is cut off, both secrets together open everything.
 */
export function renewSecretFile(dataDirectory: string): void {
  const previous = previousFile(dataDirectory);
  const present = instanceSecret(null, dataDirectory);
  const kept = readSecretFile(previous);
  if (kept !== null && kept !== present) return;
  writePrivate(previous, present);
  writePrivate(secretFile(dataDirectory), randomBytes(48).toString("base64url"));
}

/** Removes the secret before, which nothing needs any more. */
export function forgetPreviousSecret(dataDirectory: string): void {
  rmSync(previousFile(dataDirectory), { force: true });
}

/** next-auth's secret, derived so that no two uses share a key. */
export function nextAuthSecret(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "patchbay/next-auth", 32)).toString("base64url");
}

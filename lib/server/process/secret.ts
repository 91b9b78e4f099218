import { hkdfSync, randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../errors";
import { keyIdOf } from "../../store/cipher";
import { flush } from "../../store/flush";
import { giveToOwnerOf } from "../../store/folder-owner";
import { linkOrCopy } from "../../store/link-or-copy";
import { makeDirectory } from "../../store/make-directory";
import { SettingError } from "./env";

const MINIMUM_CHARACTERS = 32;
/** What PATCHBAY_DATA_DIR accepts. */
const ACCEPTED = "; it must be a directory that this user may write to, or a path where one can be created";
/** Words of secrets in examples and tutorials; they are removed before the rest is checked. */
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

/** Rejects guessable secrets: short ones, those of examples, and repetitions. Throws SettingError. */
export function checkSecret(name: string, secret: string): string {
  if (Buffer.byteLength(secret, "utf8") < MINIMUM_CHARACTERS)
    throw new SettingError(
      `${name}: must be ${MINIMUM_CHARACTERS} bytes or more (try: openssl rand -base64 48)`,
    );
  const plain = secret.toLowerCase();
  const rest = KNOWN_BAD.reduce((text, bad) => text.replaceAll(bad, ""), plain);
  const isRepetition = new Set(rest).size < 8 || (rest + rest).indexOf(rest, 1) < rest.length;
  if (isRepetition || /^[0-9]+$/.test(rest) || "0123456789abcdefghijklmnopqrstuvwxyz".includes(rest))
    throw new SettingError(`${name}: is easy to guess (try: openssl rand -base64 48)`);
  return secret;
}

/** Null for a missing file, and for an empty one: a write was cut off, by a full disk for example. */
function readSecretFile(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim() || null;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR")
      throw new SettingError(`PATCHBAY_DATA_DIR: ${path.dirname(file)} is not a directory${ACCEPTED}`);
    throw new SettingError(
      `PATCHBAY_DATA_DIR: the instance secret ${file} cannot be read (${code}); it must be a file that this user may read`,
    );
  }
}

/** Path of the generated instance secret. */
export function secretFile(dataDirectory: string): string {
  return path.join(dataDirectory, "secret");
}

/** Where the instance secret is set: the variable, or the path of its file. */
export function secretSource(given: string | null, dataDirectory: string): string {
  if (given === null) return secretFile(dataDirectory);
  // A variable that was set from a file may end with a line break, while the secret of the data directory's file is
  // trimmed: the two differ.
  return given === given.trim() ? "PATCHBAY_SECRET" : "PATCHBAY_SECRET (begins or ends with white space)";
}

/**
 * The instance secret: PATCHBAY_SECRET (`given`), otherwise the file `secret` of the data directory; null when neither
 * exists. Throws SettingError.
 */
export function findSecret(given: string | null, dataDirectory: string): string | null {
  const source = secretSource(given, dataDirectory);
  const secret = given ?? readSecretFile(source);
  return secret === null ? null : checkSecret(source, secret);
}

/** The instance secret; when there is none, writes a new one to the file `secret` (0600). Throws SettingError. */
export function instanceSecret(given: string | null, dataDirectory: string): string {
  const found = findSecret(given, dataDirectory);
  if (found !== null) return found;
  const file = secretFile(dataDirectory);
  const created = randomBytes(48).toString("base64url");
  try {
    makeDirectory(dataDirectory);
    // Of two starting processes, one creates the file and the other reads it.
    writeDraft(file, created, (draft) => linkOrCopy(draft, file));
    return created;
  } catch (error) {
    const other = systemCode(error) === "EEXIST" ? readSecretFile(file) : null;
    if (other) return checkSecret(file, other);
    // Not removed here: on a file system without hard links, another start may be writing it.
    if (systemCode(error) === "EEXIST")
      throw new SettingError(`${file}: is empty; delete it for a new secret`);
    throw new SettingError(
      `PATCHBAY_DATA_DIR: ${dataDirectory} cannot be written (${systemCode(error)})${ACCEPTED}`,
    );
  }
}

/** Path of the previous secret during `rotate-secret`; it decrypts values that are not re-encrypted yet. */
function previousFile(dataDirectory: string): string {
  return path.join(dataDirectory, "secret.previous");
}

/**
 * The secrets in PATCHBAY_SECRET_PREVIOUS. A secret may contain commas and spaces, so the whole text may be one, too.
 */
function secretsIn(text: string): string[] {
  const parts = text.split(/[\s,]+/).filter((one) => Buffer.byteLength(one, "utf8") >= MINIMUM_CHARACTERS);
  return [checkSecret("PATCHBAY_SECRET_PREVIOUS", text), ...parts];
}

/** Secrets that are only used to decrypt: those given, and one whose rotation is not finished. */
export function previousSecrets(given: string | null, dataDirectory: string): string[] {
  const stored = readSecretFile(previousFile(dataDirectory));
  return [...(given === null ? [] : secretsIn(given)), ...(stored === null ? [] : [stored])];
}

/** Writes a draft of mode 0600 beside `file`; once it is complete, `place` gives it that name. */
function writeDraft(file: string, text: string, place: (draft: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
    place(draft);
  } finally {
    rmSync(draft, { force: true });
  }
  // Without this, a power loss may leave a database whose encrypted values no secret decrypts.
  flush(path.dirname(file));
}

/** Writes a file of mode 0600 atomically, which the server's user can read when root runs this. */
function writePrivate(file: string, text: string): void {
  writeDraft(file, text, (draft) => {
    giveToOwnerOf(path.dirname(file), draft);
    renameSync(draft, file);
  });
}

/**
 * Copies the secret to `secret.previous` and writes a new secret file. Does nothing when `secret.previous` holds
 * another secret: that rotation must be finished first. Wherever this is interrupted, both files together decrypt
 * everything.
 */
export function rotateSecretFile(dataDirectory: string): void {
  const previous = previousFile(dataDirectory);
  const present = instanceSecret(null, dataDirectory);
  const stored = readSecretFile(previous);
  if (stored !== null && stored !== present) return;
  writePrivate(previous, present);
  writePrivate(secretFile(dataDirectory), randomBytes(48).toString("base64url"));
}

/**
 * Keeps the previous secret for older backups, in a file named after its key ID: an error about a missing secret names
 * that ID. Returns the file's name; null when there is no previous secret, because another rotation has renamed it.
 */
export function keepPreviousSecret(dataDirectory: string): string | null {
  const previous = previousFile(dataDirectory);
  const stored = readSecretFile(previous);
  if (stored === null) return null;
  const kept = `secret.${keyIdOf(stored)}`;
  renameSync(previous, path.join(dataDirectory, kept));
  return kept;
}

/** next-auth's secret, derived so that no two uses share a key. */
export function nextAuthSecret(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "patchbay/next-auth", 32)).toString("base64url");
}

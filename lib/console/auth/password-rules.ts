import { MIN_PASSWORD_LENGTH, passwordLength } from "../../contracts/console/password";
import { AppError, type Issue } from "../../errors";
import type { Instance } from "../../ports/instance";
import { isCommonPassword } from "./common-passwords";
import { userNameKey } from "./user-name-key";

/** The form in which passwords are hashed and compared: NFC, otherwise as typed. */
export function canonicalPassword(password: string): string {
  return password.normalize("NFC");
}

/**
 * The problems of a new password that its contract does not check: the instance's minimum length, the username and
 * e-mail address, and common passwords.
 */
export function passwordIssues(
  password: string,
  rules: { minimum: number; username: string; email?: string | null },
): string[] {
  const messages: string[] = [];
  const minimum = Math.max(MIN_PASSWORD_LENGTH, rules.minimum);
  if (passwordLength(password) < minimum) messages.push(`Must have at least ${minimum} characters.`);
  const plain = userNameKey(password);
  if (plain === userNameKey(rules.username) || (rules.email && plain === userNameKey(rules.email))) {
    messages.push("Must not be the username or the e-mail address.");
  } else if (isCommonPassword(plain)) {
    messages.push("This password is among the most common ones and easy to guess.");
  }
  return messages;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The problems of the new password in the field `path` of a body whose other fields may be invalid. */
export function newPasswordIssues(
  instance: Pick<Instance, "passwordMinimum">,
  fields: Readonly<Record<string, unknown>>,
  path: "password" | "new_password" = "password",
): Issue[] {
  const { [path]: password, username, email } = fields;
  if (typeof password !== "string") return [];
  const of = { minimum: instance.passwordMinimum, username: asText(username), email: asText(email) };
  return passwordIssues(password, of).map((message) => ({ path, message }));
}

/** Throws `invalid` with an issue per problem under `path`. */
export function requireGoodPassword(
  instance: Pick<Instance, "passwordMinimum">,
  password: string,
  of: { username: string; email?: string | null },
  path: string,
): void {
  const messages = passwordIssues(password, { minimum: instance.passwordMinimum, ...of });
  if (messages.length === 0) return;
  const issues: Issue[] = messages.map((message) => ({ path, message }));
  throw new AppError("invalid", `${path}: ${messages[0]}`, { issues, param: path });
}

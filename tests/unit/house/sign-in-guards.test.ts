import { type ESTree, Visitor } from "vite";
import { expect, test } from "vitest";
import { ROUTES } from "@/lib/http/routes";
import { literalText, parseSource, type Source, sourcesBelow } from "../../support/sources";

/** The catalogues contain documentation with code samples, which are not calls. */
const isCatalogue = ({ file }: Source) => file.startsWith("lib/messages/");
const SOURCES = sourcesBelow("lib", "app").filter((source) => !isCatalogue(source));

/** The files that call a function, with the number of calls. */
function callersOf(name: string): Record<string, number> {
  const call = new RegExp(`(?<!function )\\b${name}\\(`, "g");
  return Object.fromEntries(
    SOURCES.map(({ file, text }) => [file, text.match(call)?.length ?? 0] as const)
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test("only the listed verbs, which check every factor first, start sessions", () => {
  expect(callersOf("startSession")).toEqual({
    "lib/console/auth/change-password.ts": 1,
    "lib/console/auth/sign-in.ts": 1,
    "lib/console/auth/verify-two-factor.ts": 1,
    "lib/console/users/invites/accept.ts": 1,
    "lib/console/setup/create-owner.ts": 1,
    "lib/console/users/password-reset.ts": 1,
    "lib/console/users/register.ts": 1,
  });
  // Nothing else writes a row of sessions.
  expect(callersOf("sessions.insert")).toEqual({ "lib/console/auth/sessions.ts": 1 });
});

/** Routes that may set the session cookie. A new one must check every factor first. */
const MAY_SET_SESSION = [
  "POST /api/invites/accept",
  "POST /api/password-resets/accept",
  "POST /api/setup",
  "POST /api/user/login",
  "POST /api/user/login/2fa",
  "POST /api/user/password",
  "POST /api/user/register",
];

test("only the routes on the allow-list set the session cookie", () => {
  const setting = ROUTES.filter((route) => String(route.handle).includes("writeSessionCookie"));
  expect(setting.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(MAY_SET_SESSION);
  // Each call is in a handler of the table: none hides in a function that a handler calls.
  const calls = Object.entries(callersOf("writeSessionCookie"));
  expect(calls.filter(([file]) => !file.startsWith("lib/http/routes/"))).toEqual([]);
  expect(calls.reduce((sum, [, count]) => sum + count, 0)).toBe(MAY_SET_SESSION.length);
  // The encrypted session ID is created for our own cookie, and for next-auth's under the same name.
  expect(callersOf("encryptSession")).toEqual({
    "lib/http/console/next-auth-options.ts": 1,
    "lib/http/console/session-cookie.ts": 1,
  });
});

test("only the console pipeline sends cookies", () => {
  const setters = SOURCES.filter(({ text }) => /["']set-cookie["']/i.test(text)).map(({ file }) => file);
  expect(setters).toEqual(["lib/http/console/pipeline.ts"]);
  expect(callersOf("cookies.set")).toEqual({});
});

test("secrets are compared by one function, the only one that uses timingSafeEqual", () => {
  const users = SOURCES.filter(({ text }) => text.includes("timingSafeEqual")).map(({ file }) => file);
  expect(users).toEqual(["lib/console/auth/tokens.ts"]);
  expect(callersOf("timingSafeEqual")).toEqual({ "lib/console/auth/tokens.ts": 1 });
  expect(callersOf("isSameSecret")).toEqual({
    "lib/console/auth/totp.ts": 1,
    "lib/console/auth/verify-two-factor.ts": 1,
    "lib/http/routes/operations.ts": 2,
    "lib/server/process/setup-guard.ts": 1,
  });
});

const SECRET_NAME = /(?:token|digest|secret|signature|hmac|mac|hash|password|cookie|ticket|nonce)$/i;

/** The last name of an expression (`a.b.token` → `token`; `digestOf(given)` → `digestOf`); empty when it has none. */
function nameOf(node: ESTree.Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression") return node.computed ? "" : nameOf(node.property);
  if (node.type === "PrivateIdentifier") return node.name;
  if (node.type === "CallExpression") return nameOf(node.callee).replace(/Of$/, "");
  if (node.type === "AwaitExpression") return nameOf(node.argument);
  if (
    node.type === "ParenthesizedExpression" ||
    node.type === "TSNonNullExpression" ||
    node.type === "ChainExpression"
  )
    return nameOf(node.expression);
  return "";
}

/** True for values without a secret: null, undefined, numbers, string literals. */
function isConstant(node: ESTree.Node): boolean {
  return (
    node.type === "Literal" ||
    literalText(node) !== null ||
    (node.type === "Identifier" && /^(?:undefined|[A-Z][A-Z_]+)$/.test(node.name))
  );
}

/** Comparisons by `===` and similar operators in which one side is named like a secret. */
function plainComparisons(source: Source): string[] {
  const found: string[] = [];
  new Visitor({
    BinaryExpression({ operator, left, right, start, end }) {
      if (!/^[=!]==?$/.test(operator)) return;
      const sides = [left, right];
      if (!sides.some(isConstant) && sides.some((side) => SECRET_NAME.test(nameOf(side))))
        found.push(`${source.file}: ${source.text.slice(start, end)}`);
    },
  }).visit(parseSource(source).program);
  return found;
}

test("the scan finds comparisons of secrets in every form", () => {
  const scan = (text: string) => plainComparisons({ file: "x.ts", text });
  for (const text of [
    "given === expected.token",
    "digestToken(a) !== row.digest",
    "if (ctx.secret == (await find()).secret) go();",
    "const ok = a === expectedHash && b;",
    "digestOf(given) === made",
  ])
    expect([text, scan(text).length]).toEqual([text, 1]);
  for (const text of [
    "token === null",
    "secret !== undefined",
    'typeof token === "string"',
    "a.tokens === b",
  ])
    expect([text, scan(text)]).toEqual([text, []]);
});

/** Files in which such a name is not one of our secrets, with the reason. */
const NO_SECRETS: readonly [RegExp, string][] = [
  [/^lib\/contracts\//, "a password typed twice, compared with itself"],
  [/^lib\/server\/admin\/password\.ts$/, "a password typed twice at the terminal"],
  [/^lib\/gateway\/idempotency\.ts$/, "digests of the caller's own request bodies"],
  [/\/audit(?:\/|-chain\.ts$|\.ts$)/, "the audit chain, read from the store and compared with itself"],
  [/^lib\/client\//, "the user's own browser"],
  [/^lib\/server\/admin\/compare-stores\.ts$/, "digests of two stores, both read by the restore command"],
  [/^lib\/store\/copy-store\.ts$/, "the first hashes of two audit logs, both read by migrate-store"],
];

test("no token, digest or other secret is compared by ===", () => {
  const checked = SOURCES.filter(({ file }) => !NO_SECRETS.some(([files]) => files.test(file)));
  expect(checked.flatMap(plainComparisons)).toEqual([]);
});

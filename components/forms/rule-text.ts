import type { useTranslations } from "use-intl";

export type FieldErrorTranslator = ReturnType<typeof useTranslations<"common.fieldError">>;

/** `numbers` and `texts`: the pattern's groups as numbers and as text. */
type Translate = (t: FieldErrorTranslator, numbers: number[], factor: number, texts: string[]) => string;

/** Translations of the contracts' English rule messages, by pattern. */
const RULES: readonly [RegExp, Translate][] = [
  [/^(Must not be empty|Enter the code|Is required)\.$/, (t) => t("required")],
  [/^Enter a code from your authenticator app/, (t) => t("required")],
  [/^Must be in the future/, (t) => t("future")],
  [/^Must have at least (\d+) characters\.$/, (t, [n = 0]) => t("tooShort", { minimum: n })],
  [/^Must have at most ([\d,]+) characters\.$/, (t, [n = 0]) => t("tooLong", { maximum: n })],
  [/^Must have at most (\d+) bytes\.$/, (t, [n = 0]) => t("tooManyBytes", { maximum: n })],
  [/^Must be ([\d.]+) or more\.$/, (t, [n = 0], factor) => t("tooSmall", { minimum: n / factor })],
  [/^Must be (\d+) or less\.$/, (t, [n = 0], factor) => t("tooBig", { maximum: n / factor })],
  [/^Must be at least (\d+) characters? long\.$/, (t, [n = 0]) => t("tooShort", { minimum: n })],
  [/^Must be at most (\d+) characters? long\.$/, (t, [n = 0]) => t("tooLong", { maximum: n })],
  [/^Must be at least (-?[\d.]+)\.$/, (t, [n = 0], factor) => t("tooSmall", { minimum: n / factor })],
  [/^Must be at most (-?[\d.]+)\.$/, (t, [n = 0], factor) => t("tooBig", { maximum: n / factor })],
  [/^Is not valid\.$/, (t) => t("invalid")],
  [/^Unknown field\.$/, (t) => t("unknownField")],
  [/^Must be a number\.$/, (t) => t("number")],
  [/^The base URL must (be an address such|begin with https:\/\/, such|name one host)/, (t) => t("baseUrl")],
  [/^The base URL must not have a query/, (t) => t("baseUrlQuery")],
  [/^The base URL must not have '\.\.'/, (t) => t("baseUrlPath")],
  [/^The base URL must not have a user name/, (t) => t("baseUrlCredentials")],
  [/^The base URL is a cloud metadata address/, (t) => t("baseUrlMetadata")],
  [/^The base URL uses port (\d+);/, (t, _numbers, _factor, [port = ""]) => t("baseUrlPort", { port })],
  [
    /^The base URL (?:is a private address|must begin with https:\/\/; for plain http).* '(.+)' first/,
    (t, _numbers, _factor, [target = ""]) => t("baseUrlPrivate", { target }),
  ],
  [/^'(.+)' looks like a secret/, (t, _numbers, _factor, [name = ""]) => t("headerSecret", { name })],
  [/^'(.+)' is set by Patchbay/, (t, _numbers, _factor, [name = ""]) => t("headerReserved", { name })],
  [/^'(.+)' is given twice/, (t, _numbers, _factor, [name = ""]) => t("headerTwice", { name })],
  [/^'(.+)' is not a valid header name/, (t, _numbers, _factor, [name = ""]) => t("headerName", { name })],
  [/^'(.+)' must have a value of visible/, (t, _numbers, _factor, [name = ""]) => t("headerValue", { name })],
  [/^Must be an origin/, (t) => t("origin")],
  [/^Must be a (whole|complete) URL/, (t) => t("wholeUrl")],
  [/^Must not have a user name or password: a receiver/, (t) => t("urlCredentials")],
  [/^Must be a public https:/, (t) => t("webhookAddress")],
  [/^Enable 2FA for your own account first/, (t) => t("ownFactor")],
  [/^Must not contain control/, (t) => t("invisible")],
  [/^Must have only letters, digits/, (t) => t("usernameForm")],
  [/^This username is already taken/, (t) => t("usernameTaken")],
  [/^This e-mail address is already taken/, (t) => t("emailTaken")],
  [/^Must not be an e-mail address/, (t) => t("noEmail")],
  [/^Must be an e-mail address/, (t) => t("email")],
  [/^The two passwords differ/, (t) => t("differ")],
  [/^Must not be the username/, (t) => t("sameAsName")],
  [/^Must be a six-digit code or/, (t) => t("code")],
  [/^Must be the six-digit code of/, (t) => t("sixDigits")],
  [/^Must be a whole number/, (t) => t("wholeNumber")],
  [/^Must be dollars/, (t) => t("dollars")],
  [/^Must be a model's name/, (t) => t("modelName")],
  [
    /^'(.+)' is already a name or alias of the model '(.+)'\.$/,
    (t, _numbers, _factor, [name = "", holder = ""]) => t("nameTaken", { holder, name }),
  ],
  [
    /^'(.+)' is the model's own name and cannot be its alias\.$/,
    (t, _numbers, _factor, [name = ""]) => t("ownName", { name }),
  ],
  [/^Must be an address or a range/, (t) => t("address")],
  [/^Set to .+ You may tighten this limit/, (t) => t("setByHigher")],
  [/^Must have at least one operation/, (t) => t("pickOne")],
  [/^This password is among the most common/, (t) => t("commonPassword")],
];

/** The number of a group; the server writes some with commas: `2,048`. */
const numberOf = (group: string) => Number(group.replaceAll(",", ""));

/**
 * A rule's message in the page's language; null if there is no translation. `factor`: how many of the rule's units one
 * unit of the field has (a field in KB, a rule in bytes: 1,024), so that limits are shown in the field's unit.
 */
export function knownRule(t: FieldErrorTranslator, message: string, factor = 1): string | null {
  for (const [pattern, translate] of RULES) {
    const match = pattern.exec(message);
    if (match) return translate(t, match.slice(1).map(numberOf), factor, match.slice(1));
  }
  return null;
}

/** A rule's message in the page's language, or unchanged if there is no translation. `factor`: see `knownRule`. */
export function ruleText(t: FieldErrorTranslator, message: string, factor = 1): string {
  return knownRule(t, message, factor) ?? message;
}

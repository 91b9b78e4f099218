/** What names and e-mail addresses are compared by: NFC, lower case, no spaces around. */
export function userNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

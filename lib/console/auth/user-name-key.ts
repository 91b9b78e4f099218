/** The form in which names and e-mail addresses are compared: NFC, lower case, trimmed. */
export function userNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

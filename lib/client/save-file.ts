/** Players and downloads have stopped reading after this time. */
const REVOKE_DELAY_MS = 10_000;

/**
 * Revokes an object URL after a delay: a media element may read its former source once more, and a download refers to
 * the bytes only after it has started.
 */
export function releaseUrl(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_DELAY_MS);
}

/** Downloads `content` under a file name. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  releaseUrl(url);
}

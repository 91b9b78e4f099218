/** Longer than any player or download takes to notice that it was left. */
const GRACE_MS = 10_000;

/**
 * Lets go of the bytes behind an object URL. Not at once: a media element reads in a thread of its own, and asks once
 * more for what it was given a moment ago; a download has its own hold on the bytes only after it began.
 */
export function releaseUrl(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), GRACE_MS);
}

import { chownSync, type Stats, statSync } from "node:fs";

/**
 * The owner that root gives a new file in this folder; null: no change, since root owns it or the caller is not root.
 */
export function newOwner(folder: Pick<Stats, "uid" | "gid">, caller: number | undefined) {
  return caller === 0 && folder.uid !== 0 ? { uid: folder.uid, gid: folder.gid } : null;
}

/** When root runs this, gives a new file to the owner of its folder, usually the server's user. */
export function giveToOwnerOf(folder: string, file: string): void {
  const owner = newOwner(statSync(folder), process.getuid?.());
  if (owner !== null) chownSync(file, owner.uid, owner.gid);
}

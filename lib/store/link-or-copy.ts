import { constants, copyFileSync, linkSync, rmSync } from "node:fs";
import { systemCode } from "../errors";
import { flush } from "./flush";

/**
 * Gives a file a second name; where that is not possible, as on exFAT and some network file systems, a flushed copy.
 * Throws EEXIST when the name is used.
 */
export function linkOrCopy(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw error;
    copy(file, name);
  }
}

function copy(file: string, name: string): void {
  try {
    copyFileSync(file, name, constants.COPYFILE_EXCL);
    flush(name);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") rmSync(name, { force: true });
    throw error;
  }
}

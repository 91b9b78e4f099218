import { textsOfFile } from "./texts";

/** More than the gateway accepts in one call. */
export const MAX_FILE_BYTES = 16_000_000;

export type FileError = "notText" | "tooLarge" | "emptyFile";

export interface ReadFiles {
  texts: string[];
  /** The first file that could not be used, and why. */
  rejected: { name: string; error: FileError } | null;
}

function isText(file: File): boolean {
  return /\.(txt|csv|tsv|md|text|log)$/i.test(file.name) || file.type.startsWith("text/");
}

/** Reads the texts of dropped or chosen files, in order. */
export async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const read: ReadFiles = { texts: [], rejected: null };
  for (const file of files) {
    const reject = (error: FileError) => {
      read.rejected ??= { name: file.name, error };
    };
    if (!isText(file)) reject("notText");
    else if (file.size > MAX_FILE_BYTES) reject("tooLarge");
    else {
      const texts = textsOfFile(file.name, await file.text());
      if (texts.length === 0) reject("emptyFile");
      read.texts.push(...texts);
    }
  }
  return read;
}

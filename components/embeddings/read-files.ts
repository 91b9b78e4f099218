import { textsOfFile } from "@/components/embeddings/texts";

/** Larger than the gateway takes in one call anyway. */
export const LARGEST_FILE = 16_000_000;

export type FileFault = "notText" | "tooLarge" | "emptyFile";

export interface FilesRead {
  texts: string[];
  /** The first file that gave nothing, and why. */
  refused: { name: string; fault: FileFault } | null;
}

function isText(file: File): boolean {
  return /\.(txt|csv|tsv|md|text|log)$/i.test(file.name) || file.type.startsWith("text/");
}

/** The texts of files that were dropped or chosen, in their order. */
export async function readFiles(files: readonly File[]): Promise<FilesRead> {
  const read: FilesRead = { texts: [], refused: null };
  for (const file of files) {
    const refuse = (fault: FileFault) => {
      read.refused ??= { name: file.name, fault };
    };
    if (!isText(file)) refuse("notText");
    else if (file.size > LARGEST_FILE) refuse("tooLarge");
    else {
      const texts = textsOfFile(file.name, await file.text());
      if (texts.length === 0) refuse("emptyFile");
      read.texts.push(...texts);
    }
  }
  return read;
}

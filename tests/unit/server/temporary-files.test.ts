import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackups, createSpool } from "@/lib/server/process/temporary-files";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "patchbay-files-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

// With PostgreSQL and PATCHBAY_SECRET nothing else creates it.
test("creates a missing data directory that only its owner may read", async () => {
  const data = path.join(parent, "deep", "data");
  const recording = async function* () {
    yield Buffer.from("sound");
  };
  expect(await textOf(await createSpool(data)(recording()))).toBe("sound");
  rmSync(data, { recursive: true });
  const takeBackup = createBackups({ backup: (file) => writeFile(file, "rows") }, data);
  expect(await textOf(await takeBackup())).toBe("rows");
  expect([statSync(data).mode & 0o777, readdirSync(data)]).toEqual([0o700, []]);
});

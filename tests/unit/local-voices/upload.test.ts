import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writePart } from "../../../lib/providers/local-voices/upload";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "patchbay-upload-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("stores a part once when it is sent several times at once", async () => {
  const part = (offset: number, byte: number) => ({
    file: "voice.tar.gz",
    offset,
    total: 300_000,
    bytes: Buffer.alloc(150_000, byte),
  });
  const writing: Promise<unknown>[] = [];
  for (let sent = 0; sent < 40; sent++) {
    writing.push(writePart(directory, "voice", part(0, 1)));
    // So that each upload has reached another step.
    await new Promise(setImmediate);
  }
  await Promise.all(writing);
  const { archive } = await writePart(directory, "voice", part(150_000, 2));
  const stored = readFileSync(archive);
  expect(stored.length).toBe(300_000);
  expect([stored[0], stored[149_999], stored[150_000], stored[299_999]]).toEqual([1, 1, 2, 2]);
});

it("reports a disk that is full", async () => {
  symlinkSync("/dev/full", path.join(directory, ".upload-voice.tar.gz"));
  const part = { file: "voice.tar.gz", offset: 0, total: 100, bytes: Buffer.alloc(100) };
  await expect(writePart(directory, "voice", part)).rejects.toMatchObject({
    code: "overloaded",
    message: "The server's disk is full.",
  });
});

it("reports a directory that cannot be written", async () => {
  const part = { file: "voice.tar.gz", offset: 0, total: 100, bytes: Buffer.alloc(100) };
  // No user may create a directory there, not even root.
  await expect(writePart("/sys/voices", "voice", part)).rejects.toMatchObject({
    code: "storage_unavailable",
    message: "The server cannot write to its data directory.",
  });
});

it.each([0, 101])("refuses a part of %d bytes of an archive of 100", async (length) => {
  const part = { file: "voice.tar.gz", offset: 0, total: 100, bytes: Buffer.alloc(length) };
  await expect(writePart(directory, "voice", part)).rejects.toMatchObject({ code: "invalid" });
});

import { mkdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LocalVoicesProvider } from "../../../lib/providers/local-voices/create";
import { digestOf } from "../../../lib/providers/local-voices/download";
import { firstDigests, rememberDigest } from "../../../lib/providers/local-voices/records";
import { openLocalVoices } from "../../support/local-voices";
import { serveMirror, writeVoiceArchive } from "../../support/voice-archive";

const OPTIONS = { signal: new AbortController().signal, onProgress: () => undefined };
const EARLIER = ".digests.json";

let work: string;
let directory: string;
let archive: string;
let mirror: Awaited<ReturnType<typeof serveMirror>>;
let voices: LocalVoicesProvider;
let source: { url: string };
beforeEach(async () => {
  work = await mkdtemp(path.join(tmpdir(), "patchbay-records-"));
  directory = path.join(work, "voices");
  await mkdir(directory);
  archive = await writeVoiceArchive(work);
  mirror = await serveMirror(archive);
  voices = openLocalVoices(directory, { allowed: [mirror.host] });
  source = { url: `${mirror.url}/tiny.tar.gz` };
});
afterEach(async () => {
  mirror.close();
  await voices.close();
  await rm(work, { recursive: true });
});

const digestFiles = async () => (await readdir(directory)).filter((name) => name.startsWith(".digest-"));

describe("the digests of first downloads", () => {
  it("of archives that are installed at the same time are all kept", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `voice-${at}.tar.gz`);
    const digest = "a".repeat(64);
    await Promise.all(names.map((name) => rememberDigest(directory, name, digest)));
    expect(await firstDigests(directory)).toEqual(Object.fromEntries(names.map((name) => [name, digest])));
  });

  it("are kept, and a later one of the same archive is not", async () => {
    await rememberDigest(directory, "tiny.tar.gz", "a".repeat(64));
    await rememberDigest(directory, "tiny.tar.gz", "b".repeat(64));
    expect(await firstDigests(directory)).toEqual({ "tiny.tar.gz": "a".repeat(64) });
  });

  it("of different archives of one name at the same time are the first one for all", async () => {
    const digests = Array.from({ length: 16 }, (_, at) => at.toString(16).repeat(64));
    const kept = await Promise.all(digests.map((digest) => rememberDigest(directory, "tiny.tar.gz", digest)));
    expect(new Set(kept).size).toBe(1);
    expect(await firstDigests(directory)).toEqual({ "tiny.tar.gz": kept[0] });
  });

  it("that an earlier version recorded must still be matched", async () => {
    await writeFile(path.join(directory, EARLIER), JSON.stringify({ "tiny.tar.gz": "a".repeat(64) }));
    await expect(voices.install("tiny", source, OPTIONS)).rejects.toMatchObject({
      message: expect.stringContaining("as at the first download"),
    });
    const digest = await digestOf(archive);
    await writeFile(path.join(directory, EARLIER), JSON.stringify({ "tiny.tar.gz": digest }));
    await voices.install("tiny", source, OPTIONS);
    expect((await voices.records()).digests).toEqual({ "tiny.tar.gz": digest });
  });

  it.each(["", '{\n  "tiny.tar.gz": "00', '{"tiny.tar.gz": "no digest"}'])(
    "refuse a download when the file of an earlier version contains %j",
    async (content) => {
      const file = path.join(directory, EARLIER);
      await writeFile(file, content);
      await expect(voices.install("tiny", source, OPTIONS)).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringMatching(
          /^The record of earlier downloads, \.digests\.json in the voices directory, cannot be read: restore it .* or delete it/,
        ),
      });
      expect(await readFile(file, "utf8")).toBe(content);
      expect(await voices.records()).toMatchObject({
        digests: {},
        jobs: [{ name: "tiny", state: "failed" }],
      });
    },
  );

  it("that cannot be recorded leave no voice behind", async () => {
    await rememberDigest(directory, "tiny.tar.gz", await digestOf(archive));
    const [name = ""] = await digestFiles();
    await rm(path.join(directory, name));
    const onProgress = ({ stage }: { stage: string }) => {
      // A folder at the path of the record prevents its creation.
      if (stage === "verify") mkdirSync(path.join(directory, name), { recursive: true });
    };
    await expect(voices.install("tiny", source, { ...OPTIONS, onProgress })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await voices.scan()).ready).toEqual([]);
  });

  it("refuse a download when the record of its archive is damaged", async () => {
    await voices.install("tiny", source, OPTIONS);
    await voices.remove("tiny");
    const [name = ""] = await digestFiles();
    await writeFile(path.join(directory, name), "{");
    await expect(voices.install("tiny", source, OPTIONS)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(name),
    });
    expect((await voices.scan()).ready).toEqual([]);
  });
});

it("fails the verification of a voice whose record of its files is damaged", async () => {
  await voices.install("tiny", source, OPTIONS);
  const record = path.join(directory, "tiny", ".installed.json");
  await writeFile(record, (await readFile(record, "utf8")).slice(0, 100));
  await expect(voices.verify("tiny")).rejects.toMatchObject({
    code: "invalid",
    message:
      ".installed.json: The record of the files cannot be read: remove the voice and install it again.",
  });
  expect(await voices.facts("tiny")).toMatchObject({ archiveSha256: null });
});

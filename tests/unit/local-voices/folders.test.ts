import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LocalVoicesProvider } from "../../../lib/providers/local-voices/create";
import { toUnusable } from "../../../lib/providers/local-voices/folders";
import { readLanguages } from "../../../lib/providers/local-voices/read-folder";
import { modelVoices } from "../../../lib/providers/local-voices/voices";
import { openLocalVoices } from "../../support/local-voices";
import { TINY_METADATA, TINY_SPEAKERS, tinyModel, writeTinyVoice } from "../../support/tiny-voice";

let directory: string;
let voices: LocalVoicesProvider;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "patchbay-voices-"));
  voices = openLocalVoices(directory);
});
afterEach(async () => {
  await voices.close();
  await rm(directory, { recursive: true });
});

const write = (name: string, changes?: Parameters<typeof writeTinyVoice>[1]) =>
  writeTinyVoice(path.join(directory, name), changes);
const withMetadata = (metadata: Record<string, string>) => ({
  "model.onnx": tinyModel({ ...TINY_METADATA, ...metadata }),
});
async function brokenFolder(changes: Parameters<typeof writeTinyVoice>[1]) {
  await write("broken", changes);
  const { ready, broken } = await voices.scan();
  expect(ready).toEqual([]);
  return broken[0];
}

describe("a model folder", () => {
  it("is described by its files", async () => {
    await write("tiny");
    const { ready, broken } = await voices.scan();
    expect(broken).toEqual([]);
    expect(ready).toEqual([
      {
        name: "tiny",
        kind: "vits",
        languages: ["en"],
        sampleRate: 16_000,
        speakers: [
          { name: "low-m", languages: ["en"], gender: "male" },
          { name: "high-f", languages: ["en"], gender: "female" },
        ],
        bytes: expect.any(Number),
      },
    ]);
  });

  it("takes language and speakers from Piper's description", async () => {
    const description = { language: { code: "de_DE" }, speaker_id_map: { anna: 1, bernd: 0 } };
    await write("piper", {
      ...withMetadata({ speaker_names: "" }),
      "model.onnx.json": Buffer.from(JSON.stringify(description)),
    });
    const [folder] = (await voices.scan()).ready;
    expect(folder?.languages).toEqual(["de-DE"]);
    expect(folder?.speakers.map(({ name }) => name)).toEqual(["bernd", "anna"]);
  });

  it("takes the languages and genders of Kokoro's speakers from their names", async () => {
    await write("kokoro", {
      ...withMetadata({ model_type: "kokoro", speaker_names: "af_kore,jm_kumo", style_dim: "2,1,3" }),
      "voices.bin": Buffer.alloc(2 * 2 * 3 * 4),
    });
    const [folder] = (await voices.scan()).ready;
    expect(folder).toMatchObject({ kind: "kokoro", languages: ["en"] });
    expect(folder?.speakers).toEqual([
      { name: "af_kore", languages: ["en-US"], gender: "female" },
      { name: "jm_kumo", languages: ["ja"], gender: "male" },
    ]);
  });

  it("is read again only when a file has changed", async () => {
    await write("tiny");
    const [first] = (await voices.scan()).ready;
    expect((await voices.scan()).ready[0]).toBe(first);
    await utimes(path.join(directory, "tiny", "tokens.txt"), 1, 1);
    expect((await voices.scan()).ready[0]).not.toBe(first);
  });

  it("is kept as it was while the directory cannot be read", async () => {
    await write("tiny");
    const [first] = (await voices.scan()).ready;
    await rename(directory, `${directory}-away`);
    // A link to itself.
    await symlink(directory, directory);
    await expect(voices.scan()).rejects.toMatchObject({ code: "ELOOP" });
    // `isUnknownModel` lets calls fail over to another channel.
    await expect(voices.mapping("other", {})).rejects.toMatchObject({
      code: "upstream_error",
      details: { isUnknownModel: true },
    });
    await rm(directory);
    await rename(`${directory}-away`, directory);
    expect((await voices.scan()).ready[0]).toBe(first);
  });

  it("is not listed after it was deleted", async () => {
    await write("tiny");
    await voices.scan();
    await rm(path.join(directory, "tiny"), { recursive: true });
    expect(await voices.scan()).toEqual({ ready: [], broken: [] });
  });
});

describe("a broken folder", () => {
  it.each([
    ["no model", { "model.onnx": null }, "model.onnx", "missing"],
    ["no tokens", { "tokens.txt": null }, "tokens.txt", "missing"],
    ["empty tokens", { "tokens.txt": Buffer.alloc(0) }, "tokens.txt", "empty"],
    ["a truncated model", { "model.onnx": tinyModel().subarray(0, -7) }, "model.onnx", "cut short"],
    ["an HTML page for a model", { "model.onnx": Buffer.from("<html>") }, "model.onnx", "not an ONNX"],
    ["a model that is no protobuf", { "model.onnx": Buffer.from([7, 7]) }, "model.onnx", "not an ONNX model"],
    ["a model without metadata", { "model.onnx": tinyModel({}) }, "model.onnx", "no metadata of sherpa-onnx"],
    [
      "metadata of a megabyte",
      withMetadata({ note: "x".repeat(2 ** 20) }),
      "model.onnx",
      "larger than 1 MiB",
    ],
    ["a rate of zero", withMetadata({ sample_rate: "0" }), "model.onnx", "sample_rate is '0'"],
    ["a million speakers", withMetadata({ n_speakers: "1000000" }), "model.onnx", "n_speakers is '1000000'"],
    ["another kind of model", withMetadata({ model_type: "whisper" }), "model.onnx", "'whisper'"],
    ["Kokoro without voices", withMetadata({ model_type: "kokoro" }), "voices.bin", "missing"],
    [
      "voices of another model",
      { ...withMetadata({ model_type: "kokoro", style_dim: "2,1,3" }), "voices.bin": Buffer.alloc(40) },
      "voices.bin",
      "40 bytes; 2 speakers need 48",
    ],
    ["Piper without espeak-ng", withMetadata({ comment: "piper" }), "espeak-ng-data/phontab", "missing"],
    ["Matcha without a vocoder", withMetadata({ model_type: "matcha-tts" }), "vocos.onnx", "vocoder"],
    [
      "a wrong description",
      { "model.onnx.json": Buffer.from("{") },
      "model.onnx.json",
      "Piper's description",
    ],
  ])("with %s is reported with the name of the file", async (_, changes, file, reason) => {
    expect(await brokenFolder(changes)).toEqual({
      name: "broken",
      file,
      reason: expect.stringContaining(reason),
    });
  });

  it("is not reported for a folder that could not be read because no file descriptor was left", () => {
    const error = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    expect(() => toUnusable(error)).toThrow(error);
  });

  it("does not affect the others", async () => {
    await write("broken", { "tokens.txt": null });
    await write("good");
    await mkdir(path.join(directory, ".unpacking"));
    await writeFile(path.join(directory, "notes.txt"), "");
    const { ready, broken } = await voices.scan();
    expect([ready.map(({ name }) => name), broken.map(({ name }) => name)]).toEqual([["good"], ["broken"]]);
  });
});

describe("the languages of a model", () => {
  it.each([
    ["en-us", ["en-US"]],
    ["cmn", ["zh"]],
    ["English", ["en"]],
    ["multi-lang, e.g., English, Chinese", ["en", "zh"]],
    ["Klingon", []],
  ])("are read from '%s' as %j", (text, tags) => {
    expect(readLanguages(text)).toEqual(tags);
  });
});

describe("the voice names of a model", () => {
  const speaker = (name: string, language: string, gender: "female" | "male") => ({
    name,
    languages: [language],
    gender,
  });
  const kokoro = [
    speaker("af_heart", "en-US", "female"),
    speaker("af_kore", "en-US", "female"),
    speaker("am_puck", "en-US", "male"),
    speaker("jf_alpha", "ja", "female"),
  ];
  const named = (table: Record<string, string> = {}) => modelVoices(kokoro, ["en"], table);

  it("are its own speakers' names, ignoring case", () => {
    expect([named().speakerOf("AF_HEART"), named().speakerOf("nobody")]).toEqual([0, null]);
  });

  it("include those of Gemini and OpenAI, for speakers of the same name, else of the same gender, in its language", () => {
    const { speakerOf } = named();
    expect([speakerOf("Kore"), speakerOf("puck"), speakerOf("onyx")]).toEqual([1, 2, 2]);
    for (const { name, speaker } of named().mapping()) expect(speaker, name).toMatch(/^a/);
  });

  it("mean speakers of any language when the model's own is unknown", () => {
    const { speakerOf } = modelVoices(kokoro, [], {});
    expect([speakerOf("Kore"), speakerOf("onyx")]).toEqual([1, 2]);
  });

  it("may be mapped by the operator, one by one, and all others by `*`", () => {
    const { speakerOf, voices } = named({ Kore: "jf_alpha", narrator: "am_puck", "*": "af_heart" });
    expect(["kore", "narrator", "Zephyr", "anything"].map(speakerOf)).toEqual([3, 2, 0, 0]);
    expect(voices.find(({ name }) => name === "narrator")).toMatchObject({
      gender: "male",
      languages: ["en-US"],
    });
  });

  it("all mean the same speaker when it has only one", () => {
    const { mapping } = modelVoices([{ name: "default", languages: ["de"], gender: "neutral" }], ["de"], {});
    expect(new Set(mapping().map(({ speaker: own }) => own))).toEqual(new Set(["default"]));
    expect(TINY_SPEAKERS).toHaveLength(2);
  });
});

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { create } from "tar";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refreshVoices } from "../../../lib/console/voices/refresh";
import { type AdminPlace, adminPlace } from "../../support/admin";
import type { TestServices } from "../../support/services";
import { writeTinyVoice } from "../../support/tiny-voice";

let place: AdminPlace;
/** A server's services on the same store, running during the command. */
let services: TestServices;
beforeEach(async () => {
  place = adminPlace();
  services = await place.openServices();
});
afterEach(async () => {
  await services.close();
  place.remove();
});

async function archive(): Promise<string> {
  const source = path.join(place.dataDirectory, "source");
  await writeTinyVoice(path.join(source, "tiny"));
  const file = path.join(place.dataDirectory, "tiny.tar.gz");
  await create({ gzip: true, file, cwd: source }, ["tiny"]);
  return file;
}

test("installs, lists, verifies and removes a voice, with audit entries", async () => {
  expect(await place.run(["voices", "add", await archive()])).toMatchObject({ code: 0 });
  await refreshVoices(services);
  expect((await services.catalog.find("tiny"))?.routes).toHaveLength(1);
  const listed = await place.run(["voices", "list"]);
  expect(listed.out).toContain("tiny  installed  vits, en, 2 speakers");
  expect(listed.out).toContain("kokoro-int8-multi-lang-v1_0  available");
  expect((await place.run(["voices", "verify", "tiny"])).out).toMatch(/real-time factor \d/);
  expect(await place.run(["voices", "remove", "tiny"])).toMatchObject({ code: 0 });
  expect(await services.store.channels.find("chn_voice_tiny")).toBeNull();
  const rows = (await services.store.audit.list({ limit: 5, cursor: null, q: null })).items;
  expect(rows.map(({ action }) => action).filter((action) => action.startsWith("voice."))).toEqual([
    "voice.remove",
    "voice.add",
  ]);
});

test("names the file of a broken folder", async () => {
  const folder = path.join(place.dataDirectory, "voices", "broken");
  await mkdir(folder, { recursive: true });
  await writeTinyVoice(folder, { "tokens.txt": null });
  expect((await place.run(["voices", "list"])).out).toContain(
    "broken  broken     tokens.txt: The file is missing.",
  );
  expect((await place.run(["voices", "verify", "broken"])).notes).toContain("tokens.txt");
});

test.each([
  [["voices"], 2, "must be list, add, verify or remove"],
  [["voices", "add", "nothing"], 2, "neither a voice of the catalogue"],
  [["voices", "verify", "nothing"], 1, "There is no local voice 'nothing'"],
])("%j exits with %i and says why", async (args, code, words) => {
  expect(await place.run(args)).toMatchObject({ code, notes: expect.stringContaining(words) });
});

test("refuses every action while local voices are off", async () => {
  place.variables.PATCHBAY_VOICES = "off";
  expect((await place.run(["voices", "list"])).notes).toContain("PATCHBAY_VOICES=off");
});

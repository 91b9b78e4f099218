import { mkdir } from "node:fs/promises";
import path from "node:path";
import { create } from "tar";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refreshVoices } from "../../../lib/console/voices/refresh";
import { type AdminHarness, openAdminHarness } from "../../support/admin";
import type { TestServices } from "../../support/services";
import { writeTinyVoice } from "../../support/tiny-voice";

let admin: AdminHarness;
/** A server's services on the same store, running during the command. */
let services: TestServices;
beforeEach(async () => {
  admin = openAdminHarness();
  services = await admin.openServices();
});
afterEach(async () => {
  await services.close();
  admin.remove();
});

async function archive(): Promise<string> {
  const source = path.join(admin.dataDirectory, "source");
  await writeTinyVoice(path.join(source, "tiny"));
  const file = path.join(admin.dataDirectory, "tiny.tar.gz");
  await create({ gzip: true, file, cwd: source }, ["tiny"]);
  return file;
}

test("voices installs, lists, verifies and removes a voice, with audit entries", async () => {
  expect(await admin.run(["voices", "add", await archive()])).toMatchObject({ code: 0 });
  await refreshVoices(services);
  expect((await services.catalog.find("tiny"))?.routes).toHaveLength(1);
  const listed = await admin.run(["voices", "list"]);
  expect(listed.out).toContain("tiny  installed  vits, en, 2 speakers");
  expect(listed.out).toContain("kokoro-int8-multi-lang-v1_0  available");
  expect((await admin.run(["voices", "verify", "tiny"])).out).toMatch(/real-time factor \d/);
  expect(await admin.run(["voices", "remove", "tiny"])).toMatchObject({ code: 0 });
  expect(await services.store.channels.find("chn_voice_tiny")).toBeNull();
  const rows = (await services.store.audit.list({ limit: 5, cursor: null, q: null })).items;
  expect(rows.map(({ action }) => action).filter((action) => action.startsWith("voice."))).toEqual([
    "voice.remove",
    "voice.add",
  ]);
});

test("voices list and verify name the missing file of a broken folder", async () => {
  const folder = path.join(admin.dataDirectory, "voices", "broken");
  await mkdir(folder, { recursive: true });
  await writeTinyVoice(folder, { "tokens.txt": null });
  expect((await admin.run(["voices", "list"])).out).toContain(
    "broken  broken     tokens.txt: The file is missing.",
  );
  expect((await admin.run(["voices", "verify", "broken"])).notes).toContain("tokens.txt");
});

test.each([
  [["voices"], 2, "must be list, add, verify or remove"],
  [["voices", "add", "nothing"], 2, "neither a voice of the catalogue"],
  [
    ["voices", "add", "https://127.0.0.1/x.tar.gz"],
    1,
    "The archive's URL is a private address; the owner has to allow '127.0.0.1:443' first.",
  ],
  [
    ["voices", "add", "https://127.0.0.1/x.tar.gz", "--sha256", "abc"],
    2,
    "64 hexadecimal digits; got 'abc'.",
  ],
  [["voices", "verify", "nothing"], 1, "Local voice 'nothing' not found"],
])("%j exits with %i and prints the reason", async (args, code, message) => {
  expect(await admin.run(args)).toMatchObject({ code, notes: expect.stringContaining(message) });
});

test("voices list names the variable that turns local voices off", async () => {
  admin.variables.PATCHBAY_VOICES = "off";
  expect((await admin.run(["voices", "list"])).notes).toContain("PATCHBAY_VOICES=off");
});

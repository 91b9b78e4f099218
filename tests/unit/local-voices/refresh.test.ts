import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { updateChannel } from "../../../lib/console/channels/update";
import type { ConsoleContext } from "../../../lib/console/context";
import { refreshVoices } from "../../../lib/console/voices/refresh";
import { modelRecord, sessionRecord, userRecord } from "../../support/factories";
import { type TestServices, testServices } from "../../support/services";
import { writeTinyVoice } from "../../support/tiny-voice";

let services: TestServices;
beforeEach(async () => {
  services = await testServices();
});
afterEach(() => services.close());

const folder = (name: string) => path.join(services.dataDirectory, "voices", name);

it("creates a model and its channel for each new folder, once", async () => {
  await writeTinyVoice(folder("tiny"));
  await refreshVoices(services);
  await refreshVoices(services);
  expect(await services.store.channels.find("chn_voice_tiny")).toMatchObject({
    provider: "local-voices",
    embedded: true,
    models: [{ name: "tiny", upstreamName: "tiny" }],
  });
  const entry = await services.catalog.find("tiny");
  expect(entry?.model).toMatchObject({ operation: "speech", defaultVoice: "low-m" });
  expect(services.logged.filter((line) => line.includes("voice_added"))).toHaveLength(1);
});

it("logs once that the directory cannot be read, and reads it as soon as it is readable", async () => {
  const directory = path.join(services.dataDirectory, "voices");
  await symlink(directory, directory);
  await refreshVoices(services);
  await refreshVoices(services);
  expect(services.logged.filter((line) => line.includes("voices_not_read"))).toHaveLength(1);
  await rm(directory);
  await writeTinyVoice(folder("tiny"));
  await refreshVoices(services);
  expect(await services.store.channels.find("chn_voice_tiny")).not.toBeNull();
});

it("accepts an operator's mapping of voice names, and rejects an invalid one", async () => {
  await writeTinyVoice(folder("tiny"));
  await refreshVoices(services);
  const user = userRecord({ role: "owner" });
  await services.store.users.insert(user);
  const session = sessionRecord(user.id);
  const ctx: ConsoleContext = {
    ...services,
    caller: { kind: "session", user, session },
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    device: "",
    requestId: "req",
  };
  const changed = await updateChannel(ctx, "chn_voice_tiny", {
    version: 1,
    options: { voices: { Kore: "low-m" } },
  });
  expect(changed.options).toEqual({ voices: { Kore: "low-m" } });
  const channel = (await services.catalog.find("tiny"))?.routes[0]?.channel;
  if (channel === undefined) throw new Error("no channel");
  const listed = await services.providers.speech(channel).voices("tiny");
  expect(listed.filter(({ name }) => name === "Kore")).toHaveLength(1);
  for (const options of [{ voices: { Kore: 3 } }, { ca: "x" }])
    await expect(updateChannel(ctx, "chn_voice_tiny", { version: 2, options })).rejects.toMatchObject({
      code: "invalid",
    });
  await expect(
    updateChannel(ctx, "chn_voice_tiny", { version: 2, base_url: "https://a.example" }),
  ).rejects.toMatchObject({
    code: "invalid",
  });
});

it("does not create a deleted model again, and keeps the channel of a missing folder", async () => {
  await writeTinyVoice(folder("tiny"));
  await refreshVoices(services);
  await services.store.models.delete("tiny");
  await rm(folder("tiny"), { recursive: true });
  await refreshVoices(services);
  expect(await services.catalog.find("tiny")).toBeNull();
  expect(await services.store.channels.find("chn_voice_tiny")).not.toBeNull();
});

it("reports a broken folder and a name that is taken, once each", async () => {
  await services.store.models.insert(
    modelRecord({ name: "vectors", operation: "embeddings", aliases: ["other"] }),
  );
  await writeTinyVoice(folder("broken"), { "tokens.txt": null });
  await writeTinyVoice(folder("vectors"));
  await writeTinyVoice(folder("other"));
  await refreshVoices(services);
  await refreshVoices(services);
  const logged = services.logged.filter((line) => line.includes("voice_broken"));
  expect(logged).toHaveLength(3);
  expect(logged[0]).toContain("tokens.txt");
  expect(await services.store.channels.find("chn_voice_vectors")).toBeNull();
});

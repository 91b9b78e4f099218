import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { refreshVoices } from "../../lib/console/voices/refresh";
import { createDispatcher } from "../../lib/http/core/dispatch";
import type { Inbound } from "../../lib/http/core/exchange";
import { ROUTES } from "../../lib/http/routes";
import { LOCAL_VOICES_ROUTES } from "../../lib/http/routes/console/local-voices";
import type { LocalVoicesProvider } from "../../lib/providers/local-voices/create";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { openLocalVoices } from "../support/local-voices";
import { type TestServices, testServices } from "../support/services";
import { writeTinyVoice } from "../support/tiny-voice";
import { serveMirror, writeVoiceArchive } from "../support/voice-archive";

const NAME = "kitten-nano-en-v0_1-fp16";

let services: TestServices;
let harness: ConsoleHarness;
let cookie: string;
let archive: string;
let mirror: Awaited<ReturnType<typeof serveMirror>>;
let voices: LocalVoicesProvider;
let isSlow: boolean;
beforeEach(async () => {
  services = await testServices();
  isSlow = false;
  archive = await writeVoiceArchive(services.dataDirectory);
  mirror = await serveMirror(archive, () => isSlow);
  voices = openLocalVoices(folder(), { mirror: mirror.url, allowed: [mirror.host] });
  services.voices = voices;
  harness = openConsoleHarness(services, ROUTES);
  cookie = await setUpOwner(harness);
});
afterEach(async () => {
  mirror.close();
  await voices.close();
  await services.close();
});

const folder = (...names: string[]) => path.join(services.dataDirectory, "voices", ...names);
const list = async () => (await harness("/api/voices", { cookie })).json.data;
async function until(isReached: (data: Awaited<ReturnType<typeof list>>) => boolean) {
  for (;;) {
    const data = await list();
    if (isReached(data)) return data;
    await new Promise(setImmediate);
  }
}
const isDone = (data: { installations: unknown[]; installed: { channel: unknown }[] }) =>
  data.installations.length === 0 && data.installed.some(({ channel }) => channel !== null);

function upload(name: string, query: string, body: Uint8Array, as = cookie, whileReading?: () => unknown) {
  const request: Inbound = {
    method: "POST",
    path: `/api/voices/${name}/upload`,
    query,
    headers: new Map([
      ["cookie", as],
      ["content-type", "application/octet-stream"],
    ]),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "req-1",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: () => undefined,
    readBody: async () => {
      await whileReading?.();
      return body;
    },
    streamBody: async function* () {
      yield* [];
    },
  };
  return createDispatcher(LOCAL_VOICES_ROUTES, async () => services)(request);
}

it("downloads a voice of the catalogue, serves it, and writes the download to the audit log", async () => {
  const before = await list();
  expect(before).toMatchObject({ enabled: true, has_mirror: true, installed: [], installations: [] });
  expect(before.catalogue[0]).toMatchObject({ name: NAME, host: mirror.host, sha256: null });
  const started = await harness("/api/voices", { body: { name: NAME }, cookie });
  expect(started.status).toBe(200);
  const { installed, catalogue } = await until(isDone);
  expect(installed[0]).toMatchObject({
    name: NAME,
    kind: "vits",
    sample_rate: 16_000,
    real_time_factor: expect.any(Number),
    archive_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    channel: { voices: {} },
  });
  expect(installed[0].mapping).toHaveLength(43);
  expect(catalogue.map(({ name }: { name: string }) => name)).not.toContain(NAME);
  expect((await services.catalog.find(NAME))?.routes).toHaveLength(1);
  expect((await harness("/api/voices", { body: { name: NAME }, cookie })).status).toBe(409);
  const [entry] = (await harness("/api/audit?action=voice.add", { cookie })).json.data.items;
  expect(entry).toMatchObject({ target: NAME, detail: { source: expect.stringContaining(mirror.host) } });
});

it("shows a download, cancels and resumes it", async () => {
  isSlow = true;
  await harness("/api/voices", { body: { name: NAME }, cookie });
  const { installations } = await until((data) => data.installations[0]?.done_bytes === 1);
  expect(installations[0]).toMatchObject({ stage: "download", total_bytes: 1_000_000, state: "running" });
  const cancelled = await harness(`/api/voices/${NAME}/installation`, { method: "DELETE", cookie });
  expect(cancelled.status).toBe(200);
  const { catalogue } = await until((data) => data.installations.length === 0);
  expect(catalogue[0]).toMatchObject({ name: NAME, partial_bytes: 1 });
  isSlow = false;
  const again = async () => (await harness("/api/voices", { body: { name: NAME }, cookie })).status;
  while ((await again()) !== 200) await new Promise(setImmediate);
  await until(isDone);
});

it("installs an archive uploaded in parts, and refuses a part out of order", async () => {
  const bytes = await readFile(archive);
  const part = (offset: number, end: number) =>
    upload("mine", `file=tiny.tar.gz&offset=${offset}&total=${bytes.length}`, bytes.subarray(offset, end));
  expect((await part(0, 100)).status).toBe(200);
  expect((await part(200, 300)).status).toBe(409);
  expect((await part(100, bytes.length)).status).toBe(200);
  const { installed } = await until(isDone);
  expect(installed[0].name).toBe("mine");
  expect((await upload("a b", "file=tiny.tar.gz&offset=0&total=3", bytes.subarray(0, 3))).status).toBe(400);
  expect((await upload("zip", "file=tiny.zip&offset=0&total=3", bytes.subarray(0, 3))).status).toBe(400);
  expect((await upload("big", "file=a.tar.gz&offset=0&total=9e9", bytes.subarray(0, 3))).status).toBe(400);
});

it("stores and installs nothing when the session ends while the part arrives", async () => {
  const bytes = await readFile(archive);
  const { id = "" } = (await services.store.users.findByNameOrEmail("olivia")) ?? {};
  const query = `file=tiny.tar.gz&offset=0&total=${bytes.length}`;
  const receive = vi.spyOn(voices, "receive");
  const reply = await upload("mine", query, bytes, cookie, () => services.store.sessions.deleteByUser(id));
  expect(reply.status).toBe(401);
  expect(receive).not.toHaveBeenCalled();
});

it("keeps the error of an upload without a voice until it is dismissed", async () => {
  await upload("noise", "file=tiny.tar.gz&offset=0&total=5", Buffer.from("noise"));
  const { installations } = await until((data) => data.installations[0]?.state === "failed");
  expect(installations[0]).toMatchObject({ name: "noise", error: expect.stringContaining("neither") });
  await harness("/api/voices/noise/installation", { method: "DELETE", cookie });
  expect((await list()).installations).toEqual([]);
});

it("verifies and removes a voice, and names the missing file of a broken one", async () => {
  await writeTinyVoice(folder("tiny"));
  await mkdir(folder("broken"), { recursive: true });
  await writeTinyVoice(folder("broken"), { "tokens.txt": null });
  const { broken } = await list();
  expect(broken).toEqual([{ name: "broken", file: "tokens.txt", reason: "The file is missing." }]);
  const verified = await harness("/api/voices/tiny/verify", { method: "POST", cookie });
  expect(verified.json.data).toEqual({
    audio_ms: expect.any(Number),
    real_time_factor: expect.any(Number),
    is_unchanged: false,
  });
  const failed = await harness("/api/voices/broken/verify", { method: "POST", cookie });
  expect([failed.status, failed.json.message]).toEqual([400, "tokens.txt: The file is missing."]);
  for (const name of ["tiny", "broken"])
    expect((await harness(`/api/voices/${name}`, { method: "DELETE", cookie })).status).toBe(200);
  expect(await list()).toMatchObject({ installed: [], broken: [] });
  const { items } = (await harness("/api/audit?action=voice.remove", { cookie })).json.data;
  expect(items).toHaveLength(2);
});

it("lists a voice whose folder was deleted by hand, and removes its channel and model", async () => {
  await writeTinyVoice(folder("tiny"));
  await refreshVoices(services);
  const id = "chn_voice_tiny";
  const { traffic } = services.state;
  traffic.begin(id, "tiny", false).answered();
  expect(traffic.latencyMs(id, "tiny")).not.toBeNull();
  await rm(folder("tiny"), { recursive: true });
  expect((await list()).broken).toMatchObject([{ name: "tiny", reason: expect.stringContaining("missing") }]);
  expect((await harness("/api/voices/tiny", { method: "DELETE", cookie })).status).toBe(200);
  expect(await list()).toMatchObject({ installed: [], broken: [] });
  expect(await services.store.channels.find(id)).toBeNull();
  // The measured latency is gone, because another voice of that name may be installed.
  await services.catalog.all();
  expect(traffic.latencyMs(id, "tiny")).toBeNull();
  expect((await harness("/api/voices/tiny", { method: "DELETE", cookie })).status).toBe(404);
});

it("refuses administrators other than the owner", async () => {
  const { cookie: admin } = await addUser(harness, cookie, { username: "anna", role: "admin" });
  expect((await harness("/api/voices", { cookie: admin })).status).toBe(403);
  expect((await upload("mine", "file=a.tar.gz&offset=0&total=3", Buffer.from("abc"), admin)).status).toBe(
    403,
  );
  expect((await list()).installations).toEqual([]);
});

it("reports that local voices are disabled", async () => {
  services.voices = null;
  expect(await list()).toMatchObject({ enabled: false, catalogue: [] });
  expect((await harness("/api/voices", { body: { name: NAME }, cookie })).status).toBe(409);
});

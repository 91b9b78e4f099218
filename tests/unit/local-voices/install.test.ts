import { createHash } from "node:crypto";
import { cpSync, createReadStream, createWriteStream } from "node:fs";
import {
  appendFile,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { create, Header, Pax } from "tar";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_ARCHIVE_BYTES } from "../../../lib/contracts/console/local-voices";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import type { InstallOptions } from "../../../lib/ports/local-voices";
import type { LocalVoicesProvider } from "../../../lib/providers/local-voices/create";
import { unpack } from "../../../lib/providers/local-voices/unpack";
import { createUpstreamClient } from "../../../lib/providers/outbound/create";
import { SYSTEM_CLOCK } from "../../support/factories";
import { openLocalVoices } from "../../support/local-voices";
import { writeTinyVoice } from "../../support/tiny-voice";

const BZIP2 =
  "QlpoOTFBWSZTWf/JPMsAAIz7hMmQAFBAAO+AAANyRJ4AAACACCAAdQlJpNHqAA09QAFSpD1DE0aDIPUepVbXHPKikgw4RJFGd15j1uXt50XJDYHSpE7FOCMhETd5ATgUI+FzRfFZsrLCAP9M1rtr9eDQ0YKrNxZZRIfxdyRThQkP/JPMsA==";

let work: string;
let directory: string;
const opened: LocalVoicesProvider[] = [];
const servers: Server[] = [];
beforeEach(async () => {
  work = await mkdtemp(path.join(tmpdir(), "patchbay-install-"));
  directory = path.join(work, "voices");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((voices) => voices.close()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await rm(work, { recursive: true });
});

function open(settings: Parameters<typeof openLocalVoices>[1] = {}): LocalVoicesProvider {
  const voices = openLocalVoices(directory, settings);
  opened.push(voices);
  return voices;
}

/** The folders and archives in the directory, without records. */
const listed = async () =>
  (await readdir(directory)).filter((name) => !/^\.(?:install|digest|speed|cancel)/.test(name));

/** Runs `work` while each write stores only half of its bytes, like the last write to a disk that is nearly full. */
async function withShortWrites(work: () => Promise<unknown>): Promise<void> {
  const file = await openFile(path.join(tmpdir(), "."));
  type Write = (bytes: Buffer, at?: number, length?: number, to?: number | null) => Promise<unknown>;
  const handles: { write: Write } = Object.getPrototypeOf(file);
  await file.close();
  const { write } = handles;
  handles.write = function (bytes, at = 0, length = bytes.length - at, to = null) {
    return write.call(this, bytes, at, Math.ceil(length / 2), to);
  };
  await work().finally(() => {
    handles.write = write;
  });
}

const OPTIONS: InstallOptions = { signal: new AbortController().signal, onProgress: () => {} };

/** An archive of a tiny voice in a folder `tiny`. */
async function archiveOf(name = "tiny.tar.gz", change?: (folder: string) => Promise<void>): Promise<string> {
  await writeTinyVoice(path.join(work, "source", "tiny"));
  await change?.(path.join(work, "source", "tiny"));
  const file = path.join(work, name);
  await create({ gzip: true, file, cwd: path.join(work, "source"), portable: true }, ["tiny"]);
  return file;
}

interface RawEntry {
  path: string;
  type?: string;
  linkpath?: string;
  size?: number;
}

function header({ path: name, type = "File", linkpath, size = 0 }: RawEntry): Buffer {
  const block = Buffer.alloc(512);
  // Type assertion: `Header` accepts only its own union of type names.
  new Header({
    path: name,
    type: type as "File",
    size,
    mode: 0o644,
    ...(linkpath ? { linkpath } : {}),
  }).encode(block);
  // A header alone has no room for a long path.
  return Buffer.byteLength(name) < 100 ? block : Buffer.concat([new Pax({ path: name }).encode(), block]);
}

/** A file with one raw tar entry for each header, filled with zeros. */
async function rawArchive(entries: readonly RawEntry[]): Promise<string> {
  const file = path.join(work, "raw.tar.gz");
  function* blocks() {
    for (const entry of entries) {
      yield header(entry);
      for (let left = Math.ceil((entry.size ?? 0) / 512); left > 0; left -= 1024)
        yield Buffer.alloc(Math.min(left, 1024) * 512);
    }
    yield Buffer.alloc(1024);
  }
  await pipeline(blocks, createGzip({ level: 1 }), createWriteStream(file));
  return file;
}

/** The URL of a server that calls `answer` for each request. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address and a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("an archive", () => {
  it("is unpacked, verified and moved to its folder", async () => {
    const voices = open();
    const stages = new Set<string>();
    const onProgress: InstallOptions["onProgress"] = ({ stage }) => stages.add(stage);
    const folder = await voices.install("tiny", { file: await archiveOf() }, { ...OPTIONS, onProgress });
    expect(folder).toMatchObject({ name: "tiny", kind: "vits" });
    expect(await listed()).toEqual(["tiny"]);
    expect((await voices.scan()).ready).toHaveLength(1);
    expect(stages).toContain("verify");
    expect(await voices.verify("tiny")).toEqual({
      seconds: expect.any(Number),
      realTimeFactor: expect.any(Number),
      isUnchanged: true,
    });
    await appendFile(path.join(directory, "tiny", "tokens.txt"), "ä 99\n");
    await expect(voices.verify("tiny")).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("tokens.txt: The file was changed"),
    });
    await expect(voices.install("tiny", { file: await archiveOf() }, OPTIONS)).rejects.toMatchObject({
      code: "conflict",
    });
    await voices.remove("tiny");
    expect(await listed()).toEqual([]);
    await expect(voices.remove("tiny")).rejects.toMatchObject({ code: "not_found" });
  });

  it.each([
    ["its folder's name", ".", ["tiny"]],
    ["a dot, as `tar -C folder .` packs it", "tiny", ["."]],
    ["its files, as `tar *` packs them", "tiny", ["model.onnx", "tokens.txt"]],
    ["a dot above its folder", ".", ["."]],
  ])("is installed when it was packed with %s", async (_, folder, names) => {
    const cwd = path.join(work, "source", folder);
    await writeTinyVoice(path.join(work, "source", "tiny"));
    const file = path.join(work, "packed.tar.gz");
    await create({ gzip: true, file, cwd, portable: true }, names);
    const voices = open();
    expect(await voices.install("mine", { file }, OPTIONS)).toMatchObject({ name: "mine", kind: "vits" });
    expect(await readdir(path.join(directory, "mine"))).toEqual(
      expect.arrayContaining(["model.onnx", "tokens.txt"]),
    );
    expect(await listed()).toEqual(["mine"]);
  });

  it("packed on macOS is installed without the files of its attributes", async () => {
    const file = await archiveOf("mac.tar.gz", async (folder) => {
      await writeFile(path.join(folder, "._model.onnx"), "attributes");
      await writeFile(path.join(folder, "..", "._tiny"), "attributes");
    });
    const cwd = path.join(work, "source");
    await create({ gzip: true, file, cwd, portable: true }, ["._tiny", "tiny"]);
    await open().install("mine", { file }, OPTIONS);
    const names = await readdir(path.join(directory, "mine"));
    expect(names).toContain("model.onnx");
    expect(names.filter((name) => name.startsWith("._"))).toEqual([]);
  });

  it("is unpacked from bzip2", async () => {
    // A folder "a" with a file "b" that contains "hello\n", written by bzip2: the tests have no compressor for it.
    const file = path.join(work, "small.tar.bz2");
    await writeFile(file, Buffer.from(BZIP2, "base64"));
    const target = path.join(work, "out");
    await mkdir(target);
    await withShortWrites(() => unpack(file, target));
    expect(await readFile(path.join(target, "b"), "utf8")).toBe("hello\n");
    await truncate(file, 60);
    await rm(target, { recursive: true });
    await mkdir(target);
    await expect(unpack(file, target)).rejects.toThrow(/damaged or incomplete/);
  });

  it.each([
    ["a path outside", [{ path: "tiny/../../outside" }], "has a path outside the archive"],
    ["an attribute file outside", [{ path: "tiny/../../._outside" }], "has a path outside the archive"],
    ["an absolute path", [{ path: "/etc/passwd" }], "has a path outside the archive"],
    ["a backslash", [{ path: "tiny\\..\\outside" }], "has a backslash"],
    ["a control character", [{ path: "tiny/a\u0007" }], "has a backslash, a colon or a control character"],
    [
      "a name that is too long",
      [{ path: `tiny/${"声".repeat(86)}` }],
      `Its entry "tiny/${"声".repeat(86)}" has a name of 258 bytes; at most 255 are accepted.`,
    ],
    [
      "a folder's name that is too long",
      [{ path: `tiny/${"x".repeat(256)}/a` }],
      `Its entry "tiny/${"x".repeat(95)}" has a name of 256 bytes`,
    ],
    ["a path that is too deep", [{ path: "tiny/1/2/3/4/5/6/7/8" }], "has a path of 9 names; at most 8"],
    ["a very long path", [{ path: `tiny${"/x".repeat(2_500)}` }], "has a path of 2501 names; at most 8"],
    ["a symbolic link", [{ path: "tiny/link", type: "SymbolicLink", linkpath: "/etc" }], "SymbolicLink"],
    ["a hard link", [{ path: "tiny/link", type: "Link", linkpath: "/etc/passwd" }], "Link"],
    ["a device", [{ path: "tiny/null", type: "CharacterDevice" }], "CharacterDevice"],
    ["two top folders", [{ path: "tiny/a" }, { path: "other/b" }], "one folder"],
    ["files without a folder or a model", [{ path: "./" }, { path: "./a" }], "the files of one voice"],
    ["a file twice", [{ path: "tiny/a" }, { path: "tiny/a" }], '"tiny/a" has the same path'],
    [
      "a file that is a folder too",
      [{ path: "tiny/a" }, { path: "tiny/a/b" }],
      '"tiny/a/b" has the same path',
    ],
    ["a folder below a file", [{ path: "tiny/a" }, { path: "tiny/a/b/c" }], '"tiny/a/b/c" has the same path'],
    ["no entries", [], "damaged"],
  ])("with %s is refused and leaves no files", async (_, entries, reason) => {
    const voices = open();
    await expect(voices.install("tiny", { file: await rawArchive(entries) }, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(reason),
    });
    expect(await listed()).toEqual([]);
    expect(await readdir(work)).not.toContain("outside");
  });

  it("is refused when the path of an entry is too long below the data directory", async () => {
    const names = (count: number) => `/${"x".repeat(250)}`.repeat(count);
    const target = path.join(work, names(11));
    await mkdir(target, { recursive: true });
    await expect(unpack(await rawArchive([{ path: `tiny${names(6)}` }]), target)).rejects.toThrow(
      `Its entry "tiny/${"x".repeat(95)}" has a path that is too long for the server's file system.`,
    );
  });

  it("is unpacked without polling while the disk takes no more", async () => {
    const polls = vi.spyOn(globalThis, "setImmediate");
    const target = path.join(work, "out");
    await mkdir(target);
    await unpack(await rawArchive([{ path: "model.onnx", size: 1024 * 1024 }]), target);
    expect((await stat(path.join(target, "model.onnx"))).size).toBe(1024 * 1024);
    expect(polls).not.toHaveBeenCalled();
  });

  it("of a million files is refused at the first file above the limit", async () => {
    const headers = Array.from({ length: 1_000 }, (_, at) => header({ path: `tiny/${at}` }));
    // A file may be several gzip streams in a row.
    const thousand = gzipSync(Buffer.concat(headers));
    const file = path.join(work, "many.tar.gz");
    await writeFile(file, Buffer.concat(Array.from({ length: 1_000 }, () => thousand)));
    const target = path.join(work, "out");
    await mkdir(target);
    await expect(unpack(file, target, { bytes: 1e9, files: 100 })).rejects.toThrow(/more than 100 files/);
    expect((await readdir(target)).length).toBeLessThanOrEqual(100);
  });

  it("is refused before it unpacks to more bytes than accepted", async () => {
    const target = path.join(work, "out");
    await mkdir(target);
    const bomb = await rawArchive([{ path: "tiny/zeros", size: 100 * 1024 * 1024 }]);
    expect((await stat(bomb)).size).toBeLessThan(1024 * 1024);
    await expect(unpack(bomb, target, { bytes: 50 * 1024 * 1024, files: 10 })).rejects.toThrow(
      /more than 50 MB/,
    );
    expect(await readdir(target)).toEqual([]);
  });

  it.each([0.1, 0.5, 0.9])("is refused when it is cut at %d of its length", async (share) => {
    const file = await archiveOf();
    await truncate(file, Math.floor((await stat(file)).size * share));
    await expect(open().install("tiny", { file }, OPTIONS)).rejects.toMatchObject({ code: "invalid" });
    expect(await listed()).toEqual([]);
  });

  it("without a usable voice is refused, and the file is named", async () => {
    const file = await archiveOf("bad.tar.gz", (folder) => rm(path.join(folder, "tokens.txt")));
    await expect(open().install("tiny", { file }, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("tokens.txt"),
    });
  });

  it("is refused when a folder of its name appeared meanwhile", async () => {
    const voices = open();
    const onProgress: InstallOptions["onProgress"] = ({ stage }) => {
      if (stage === "verify")
        cpSync(path.join(work, "source", "tiny"), path.join(directory, "tiny"), { recursive: true });
    };
    const message = "The local voice 'tiny' already exists; remove it first.";
    await expect(
      voices.install("tiny", { file: await archiveOf() }, { ...OPTIONS, onProgress }),
    ).rejects.toMatchObject({ code: "conflict", message });
    expect((await voices.records()).jobs).toMatchObject([{ state: "failed", error: message }]);
    expect(await listed()).toEqual(["tiny"]);
  });

  it("is not installed under a name that is a path", async () => {
    await expect(open().install("../x", { file: await archiveOf() }, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
    });
  });
});

describe("a download", () => {
  it("resumes where it was cut, and is checked by its digest", async () => {
    const file = await archiveOf();
    const { size } = await stat(file);
    const ranges: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      ranges.push(request.headers.range);
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const head = { etag: '"v1"', "content-length": size - start };
      if (start > 0)
        response.writeHead(206, { ...head, "content-range": `bytes ${start}-${size - 1}/${size}` });
      else response.writeHead(200, head);
      const body = createReadStream(file, { start, ...(start === 0 ? { end: 99 } : {}) });
      body.pipe(response, { end: start > 0 });
      body.on("end", () => start === 0 && response.flushHeaders());
      if (start === 0) setTimeout(() => response.destroy(), 100);
    });
    const voices = open({ allowed: [new URL(url).host] });
    const source = {
      url: `${url}/tiny.tar.gz`,
      sha256: createHash("sha256")
        .update(await readFile(file))
        .digest("hex"),
    };
    await expect(voices.install("tiny", source, OPTIONS)).rejects.toMatchObject({
      code: "upstream_truncated",
    });
    await voices.install("tiny", source, OPTIONS);
    expect(ranges).toEqual([undefined, "bytes=99-"]);
    expect(await listed()).toEqual(["tiny"]);
  });

  it.each(["unpack", "verify"])(
    "is not repeated after an installation that was cancelled at %s",
    async (last) => {
      const bytes = await readFile(await archiveOf());
      let sent = 0;
      const url = await serve((request, response) => {
        const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        const rest = bytes.subarray(start);
        sent += rest.length;
        response
          .writeHead(request.headers.range === undefined ? 200 : 206, {
            etag: '"v1"',
            "content-length": rest.length,
            "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
          })
          .end(rest);
      });
      const voices = open({ allowed: [new URL(url).host] });
      const stopping = new AbortController();
      await expect(
        voices.install(
          "tiny",
          { url: `${url}/tiny.tar.gz` },
          { signal: stopping.signal, onProgress: ({ stage }) => stage === last && stopping.abort() },
        ),
      ).rejects.toMatchObject({ code: "caller_left" });
      expect((await voices.records()).partial).toEqual(new Map([["tiny", bytes.length]]));
      await voices.install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS);
      expect(sent).toBe(bytes.length + 1);
      expect(await listed()).toEqual(["tiny"]);
    },
  );

  it("is repeated when its archive was damaged, is another one, or is at another address", async () => {
    const good = await readFile(await archiveOf());
    const bad = Buffer.concat([good.subarray(0, good.length - 40), Buffer.alloc(40)]);
    let reply = { bytes: bad, etag: '"v1"' };
    const ranges: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      ranges.push(request.headers.range);
      const { bytes, etag } = reply;
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
      const head = { etag, "content-length": bytes.length - start, ...(start > 0 ? range : {}) };
      response.writeHead(start > 0 ? 206 : 200, head).end(bytes.subarray(start));
    });
    const voices = open({ allowed: [new URL(url).host] });
    const install = (path: string) => voices.install("tiny", { url: `${url}/${path}/tiny.tar.gz` }, OPTIONS);
    await expect(install("a")).rejects.toMatchObject({ code: "invalid" });
    expect((await voices.records()).partial.size).toBe(0);
    const cancelled = async (path: string) => {
      const stopping = new AbortController();
      const options = {
        signal: stopping.signal,
        onProgress: ({ stage }: { stage: string }) => stage === "verify" && stopping.abort(),
      };
      await expect(
        voices.install("tiny", { url: `${url}/${path}/tiny.tar.gz` }, options),
      ).rejects.toMatchObject({ code: "caller_left" });
    };
    reply = { bytes: good, etag: '"v1"' };
    await cancelled("a");
    // The server ignores If-Range.
    reply = { bytes: good, etag: '"v2"' };
    await cancelled("a");
    await install("b");
    const last = `bytes=${good.length - 1}-`;
    expect(ranges).toEqual([undefined, undefined, last, undefined, undefined]);
    expect(await listed()).toEqual(["tiny"]);
  });

  it.each(["", 'W/"v1"'])("with the ETag '%s' is not offered to be resumed", async (etag) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": 100, ...(etag === "" ? {} : { etag }) }).write("x");
      setTimeout(() => response.destroy(), 50);
    });
    const voices = open({ allowed: [new URL(url).host] });
    await expect(voices.install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS)).rejects.toMatchObject({
      code: "upstream_truncated",
    });
    expect(await listed()).toContain(".download-tiny.tar.gz");
    expect((await voices.records()).partial.size).toBe(0);
  });

  it("reports a disk that is full", async () => {
    const file = await archiveOf();
    const url = await serve((_, response) => createReadStream(file).pipe(response));
    const voices = open({ allowed: [new URL(url).host] });
    await mkdir(directory);
    await symlink("/dev/full", path.join(directory, ".download-tiny.tar.gz"));
    await expect(voices.install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS)).rejects.toMatchObject({
      code: "overloaded",
    });
    expect((await voices.records()).jobs).toMatchObject([{ error: "The server's disk is full." }]);
  });

  it("is stored without decoding when its server declares the file's compression as Content-Encoding", async () => {
    const bytes = await readFile(await archiveOf());
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "x-gzip", "content-length": bytes.length }).end(bytes),
    );
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await open({ allowed: [new URL(url).host] }).install(
      "tiny",
      { url: `${url}/tiny.tar.gz`, sha256 },
      OPTIONS,
    );
    expect(await listed()).toEqual(["tiny"]);
  });

  it("is complete when the disk stores only a part of each write", async () => {
    const bytes = await readFile(await archiveOf());
    const url = await serve((_, response) => response.end(bytes));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const voices = open({ allowed: [new URL(url).host] });
    await withShortWrites(() => voices.install("tiny", { url: `${url}/tiny.tar.gz`, sha256 }, OPTIONS));
    expect(await listed()).toEqual(["tiny"]);
  });

  it("with another digest is refused and deleted", async () => {
    const file = await archiveOf();
    const url = await serve((_, response) => createReadStream(file).pipe(response));
    const source = { url: `${url}/tiny.tar.gz`, sha256: "0".repeat(64) };
    await expect(
      open({ allowed: [new URL(url).host] }).install("tiny", source, OPTIONS),
    ).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("SHA-256"),
    });
    expect(await listed()).toEqual([]);
  });

  it("follows a redirect, but not to a private address that is not allowed", async () => {
    const file = await archiveOf();
    const inner = await serve((_, response) => createReadStream(file).pipe(response));
    const outer = await serve((_, response) =>
      response.writeHead(302, { location: `${inner}/x?token=1` }).end(),
    );
    const source = { url: `${outer}/tiny.tar.gz` };
    await expect(
      open({ allowed: [new URL(outer).host] }).install("tiny", source, OPTIONS),
    ).rejects.toMatchObject({
      code: "upstream_error",
      message: `The archive's URL is a private address; the owner has to allow '${new URL(inner).host}' first.`,
    });
    const both = [new URL(outer).host, new URL(inner).host];
    expect(await open({ allowed: both }).install("tiny", source, OPTIONS)).toMatchObject({ name: "tiny" });
    await expect(open().install("other", source, OPTIONS)).rejects.toMatchObject({ code: "upstream_error" });
  });

  it("reports a server that cannot be reached, refuses or stops, by its host", async () => {
    const install = (url: string) =>
      open({ allowed: [new URL(url).host] }).install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS);
    const cases: [string, string][] = [
      [await serve((_, response) => response.writeHead(503).end()), "answered with an error (503)."],
      [
        await serve((_, response) => response.writeHead(302).end()),
        "answered with a redirect that names no URL.",
      ],
      [
        await serve((_, response) => {
          response.writeHead(200, { "content-length": 100 }).write("x");
          setTimeout(() => response.destroy(), 50);
        }),
        "ended its answer early.",
      ],
      ["http://127.0.0.1:1025", "could not be reached."],
    ];
    for (const [url, words] of cases)
      await expect(install(url)).rejects.toMatchObject({
        message: `The archive's server ${new URL(url).host} ${words}`,
      });
  });

  it("is refused when it is too large, or redirected without an end", async () => {
    let requests = 0;
    const endless = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: "/tiny.tar.gz" }).end();
    });
    const large = await serve((_, response) =>
      response.writeHead(200, { "content-length": MAX_ARCHIVE_BYTES + 1 }).write("x"),
    );
    const install = (url: string) =>
      open({ allowed: [new URL(url).host] }).install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS);
    await expect(install(endless)).rejects.toMatchObject({
      code: "upstream_redirect",
      message: `The archive's server ${new URL(endless).host} redirected again after 5 redirects; no more are followed.`,
    });
    expect(requests).toBe(6);
    await expect(install(large)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(`at most ${MAX_ARCHIVE_BYTES}`),
    });
  });

  it.each(["user@", ":secret@"])("is refused from a URL with the credentials %s", async (credentials) => {
    const url = `https://${credentials}voices.example/tiny.tar.gz`;
    await expect(open().install("tiny", { url }, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
      message: "The URL must not have a user name or password.",
    });
  });

  it("is refused from a name that leads to a private address", async () => {
    const client = createUpstreamClient({
      clock: SYSTEM_CLOCK,
      limits: DEFAULT_LIMITS,
      allowed: () => [],
      lookup: async () => ["10.0.0.7"],
    });
    const url = "https://voices.example/tiny.tar.gz";
    await expect(open({ client }).install("tiny", { url }, OPTIONS)).rejects.toMatchObject({
      message:
        "The archive's URL leads to a private address; the owner has to allow 'voices.example:443' first.",
    });
    await client.close();
  });

  it.each(["https://*.example/tiny.tar.gz", "ftp://voices.example/tiny.tar.gz"])(
    "is refused from %s, also after a redirect",
    async (url) => {
      const outer = await serve((_, response) => response.writeHead(302, { location: url }).end());
      const voices = open({ allowed: [new URL(outer).host] });
      for (const from of [url, `${outer}/tiny.tar.gz`])
        await expect(voices.install("tiny", { url: from }, OPTIONS)).rejects.toMatchObject({
          code: "invalid",
          message: "The URL must begin with https:// and name one host.",
        });
    },
  );

  it("is cancelled by its signal and leaves no folder", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-length": 1_000_000 }).write("x"),
    );
    const stopping = new AbortController();
    const installing = open({ allowed: [new URL(url).host] }).install(
      "tiny",
      { url: `${url}/tiny.tar.gz` },
      { signal: stopping.signal, onProgress: ({ done }) => done > 0 && stopping.abort() },
    );
    await expect(installing).rejects.toMatchObject({ code: "caller_left" });
    expect((await listed()).filter((name) => !name.startsWith(".download-"))).toEqual([]);
  });

  it("is refused over plain HTTP unless its digest is known", async () => {
    const url = "http://mirror.example/tiny.tar.gz";
    await expect(open().install("tiny", { url }, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("SHA-256"),
    });
    await expect(open().install("tiny", { url, sha256: "0".repeat(64) }, OPTIONS)).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("for plain http the owner has to allow 'mirror.example:80' first"),
    });
    const outer = await serve((_, response) => response.writeHead(302, { location: url }).end());
    await expect(
      open({ allowed: [new URL(outer).host] }).install("tiny", { url: `${outer}/tiny.tar.gz` }, OPTIONS),
    ).rejects.toMatchObject({ code: "invalid" });
  });

  it("must have the digest of the first download of that archive", async () => {
    let file = await archiveOf();
    const url = await serve((_, response) => createReadStream(file).pipe(response));
    const voices = open({ allowed: [new URL(url).host] });
    const source = { url: `${url}/tiny.tar.gz` };
    await voices.install("tiny", source, OPTIONS);
    const first = createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
    expect((await voices.records()).digests).toEqual({ "tiny.tar.gz": first });
    expect((await voices.facts("tiny")).archiveSha256).toBe(first);
    await voices.remove("tiny");
    file = await archiveOf("other.tar.gz", (folder) => writeFile(path.join(folder, "MODEL_CARD"), "changed"));
    await expect(voices.install("tiny", source, OPTIONS)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("as at the first download"),
    });
    expect((await voices.records()).jobs).toMatchObject([{ name: "tiny", state: "failed" }]);
    const sha256 = createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
    expect(await voices.install("tiny", { ...source, sha256 }, OPTIONS)).toMatchObject({ name: "tiny" });
  });

  it("is refused while a different archive of that file name is installed first", async () => {
    const files = [
      await archiveOf("first.tar.gz"),
      await archiveOf("second.tar.gz", (folder) => writeFile(path.join(folder, "MODEL_CARD"), "changed")),
    ];
    const waiting: ServerResponse[] = [];
    // Neither request is answered before both installations have found no record.
    const url = await serve((_, response) => {
      waiting.push(response);
      if (waiting.length < files.length) return;
      for (const [at, one] of waiting.entries()) createReadStream(files[at] ?? "").pipe(one);
    });
    const names = ["one", "two"];
    const voices = open({ allowed: [new URL(url).host] });
    const installed = await Promise.allSettled(
      names.map((name) => voices.install(name, { url: `${url}/${name}/tiny.tar.gz` }, OPTIONS)),
    );
    const kept = names.filter((_, at) => installed[at]?.status === "fulfilled");
    expect(kept).toHaveLength(1);
    expect(installed.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "invalid", message: expect.stringContaining("as at the first download") },
    });
    const { archiveSha256 } = await voices.facts(kept[0] ?? "");
    expect((await voices.records()).digests).toEqual({ "tiny.tar.gz": archiveSha256 });
    expect(await listed()).toEqual(kept);
  });

  it("can be cancelled by another process", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { etag: '"v1"', "content-length": 1_000_000 }).write("x"),
    );
    const installing = open({ allowed: [new URL(url).host] }).install(
      "tiny",
      { url: `${url}/tiny.tar.gz` },
      OPTIONS,
    );
    const refused = expect(installing).rejects.toMatchObject({ code: "caller_left" });
    const other = open();
    while ((await other.records()).partial.size === 0) await new Promise(setImmediate);
    expect((await other.records()).jobs).toMatchObject([{ name: "tiny", state: "running" }]);
    await expect(other.install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS)).rejects.toMatchObject({
      code: "conflict",
    });
    await other.sweep();
    expect(await readdir(directory)).toContain(".unpack-tiny");
    await other.cancel("tiny");
    await refused;
    expect(await other.records()).toMatchObject({ jobs: [], partial: new Map([["tiny", 1]]) });
  });

  it("is left to the process that took it over", async () => {
    const archive = await archiveOf();
    const waiting: ServerResponse[] = [];
    const url = await serve((_, response) => waiting.push(response));
    const install = () =>
      open({ allowed: [new URL(url).host] }).install("tiny", { url: `${url}/tiny.tar.gz` }, OPTIONS);
    const suspended = expect(install()).rejects.toMatchObject({ code: "caller_left" });
    await expect.poll(() => waiting.length).toBe(1);
    const minuteAgo = new Date(Date.now() - 60_000);
    await utimes(path.join(directory, ".install-tiny.json"), minuteAgo, minuteAgo);
    const installing = install();
    await expect.poll(() => waiting.length).toBe(2);
    await suspended;
    expect(await readdir(path.join(directory, ".unpack-tiny"))).toEqual(["tiny"]);
    createReadStream(archive).pipe(waiting[1] ?? expect.fail());
    expect(await installing).toMatchObject({ name: "tiny" });
    expect(await readdir(directory)).not.toContain(".install-tiny.json");
  });

  it("of a killed process leaves only its archive after the next start", async () => {
    for (const name of [".unpack-old", ".removed-1", "tiny"])
      await mkdir(path.join(directory, name), { recursive: true });
    await writeFile(path.join(directory, ".download-new.tar.gz"), "x");
    await open().sweep();
    expect(await readdir(directory)).toEqual([".download-new.tar.gz", "tiny"]);
  });

  it("uses the mirror for the archives of the catalogue", () => {
    const [first] = open({ mirror: "https://mirror.example/voices" }).catalogue;
    expect(first?.url).toMatch(/^https:\/\/mirror\.example\/voices\/[\w.-]+\.tar\.bz2$/);
    expect(open().catalogue[0]?.url).toMatch(/^https:\/\/github\.com\//);
  });
});

import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { create } from "tar";
import { writeTinyVoice } from "./tiny-voice";

/** Writes the archive of a tiny voice into `directory`; returns its path. */
export async function writeVoiceArchive(directory: string, name = "tiny.tar.gz"): Promise<string> {
  const source = path.join(directory, "archive-source");
  await writeTinyVoice(path.join(source, "tiny"));
  const file = path.join(directory, name);
  await create({ gzip: true, file, cwd: source, portable: true }, ["tiny"]);
  await rm(source, { recursive: true });
  return file;
}

/** A mirror on loopback that serves one archive under every name; `isSlow`: it stops after the first bytes. */
export async function serveMirror(file: string, isSlow: () => boolean = () => false) {
  const server = createServer((_, response) => {
    if (isSlow()) response.writeHead(200, { "content-length": 1_000_000, etag: '"1"' }).write("x");
    else createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address and a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, close: () => server.close().closeAllConnections() };
}

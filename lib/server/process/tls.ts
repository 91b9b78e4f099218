import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createServer, type Server, type ServerOptions } from "node:https";
import { createSecureContext } from "node:tls";
import type { Log } from "../../ports/telemetry";
import { SettingError, type TlsFiles } from "./env";

/** TLS of the server itself, for machines without a proxy. */

/**
 * How often the two files are checked for changes. Polling also detects files that are replaced through a symbolic
 * link.
 */
const POLL_MS = 2_000;

interface KeyPair {
  cert: Buffer;
  key: Buffer;
}

function read(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SettingError(`${variable}: ${file} cannot be read (${String(error)})`);
  }
}

/** Reads certificate and key (PEM). Throws SettingError when one cannot be read or they do not belong together. */
function readKeyPair({ certificate, key }: TlsFiles): KeyPair {
  const pair = { cert: read("PATCHBAY_TLS_CERT", certificate), key: read("PATCHBAY_TLS_KEY", key) };
  try {
    createSecureContext(pair);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingError(
      `PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY: not a PEM certificate and its key (${reason})`,
    );
  }
  return pair;
}

/**
 * An HTTPS server that uses a renewed certificate for new connections, without a restart. While the files do not belong
 * together (one is written before the other), the old certificate stays in use. Throws SettingError, as readKeyPair does.
 */
export function createTlsServer(options: ServerOptions, files: TlsFiles, log: Log): Server {
  const server = createServer({ ...options, ...readKeyPair(files) });
  const reload = () => {
    try {
      server.setSecureContext(readKeyPair(files));
      log.info("certificate_reloaded");
    } catch (error) {
      log.warn("certificate_not_reloaded", {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };
  const names = [files.certificate, files.key];
  for (const name of names) watchFile(name, { interval: POLL_MS, persistent: false }, reload);
  server.on("close", () => {
    for (const name of names) unwatchFile(name, reload);
  });
  return server;
}

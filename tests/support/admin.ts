import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runAdmin } from "../../lib/server/admin/run";
import { openEncryptedStore } from "../../lib/server/process/encrypted-store";
import { readEnvironment } from "../../lib/server/process/env";
import { type TestServices, testServices } from "./services";

interface AdminReply {
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  notes: string;
}

export interface AdminHarness {
  dataDirectory: string;
  /** Variables in addition to the data directory. */
  variables: Record<string, string>;
  /** Runs one command; `input` are the lines that it can read. */
  run(args: readonly string[], input?: readonly string[]): Promise<AdminReply>;
  /** A server's services on the same store and secret, their clock at the current time. */
  openServices(options?: { realHasher?: boolean }): Promise<TestServices>;
  remove(): void;
}

/** A new data folder for the admin command. */
export function openAdminHarness(): AdminHarness {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-admin-"));
  const variables: Record<string, string> = {};
  return {
    dataDirectory,
    variables,
    async run(args, input = []) {
      const out: string[] = [];
      const notes: string[] = [];
      const lines = [...input];
      const terminal = {
        say: (line: string) => void out.push(line),
        note: (line: string) => void notes.push(line),
        readSecret: () => Promise.resolve(lines.shift() ?? null),
        isInteractive: false,
      };
      const code = await runAdmin(args, terminal, { PATCHBAY_DATA_DIR: dataDirectory, ...variables });
      return { code, out: out.join("\n"), notes: notes.join("\n") };
    },
    async openServices({ realHasher = false } = {}) {
      const environment = readEnvironment({ PATCHBAY_DATA_DIR: dataDirectory, ...variables });
      const { store, cipher } = await openEncryptedStore(environment, "test");
      const services = await testServices({ dataDirectory, store, cipher, realHasher });
      services.clock.advance(Date.now() - services.clock.now());
      return services;
    },
    remove: () => rmSync(dataDirectory, { recursive: true, force: true }),
  };
}

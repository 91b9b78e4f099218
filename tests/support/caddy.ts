import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readGuide } from "@/app/(console)/docs/read-guide";
import { findProgram } from "./find-program";
import { freePort } from "./product";
import { untilAccepts } from "./until-accepts";

export const findCaddy = (): string => findProgram(["caddy"], "caddy");

/** Caddy in front of one instance. */
export interface TestCaddy {
  url: string;
  close(): Promise<void>;
}

/** The guide's configuration, with these ports instead of its addresses and without TLS. */
async function guideConfiguration(port: number, instance: number): Promise<string> {
  const { text } = await readGuide("en", "proxy");
  const block = /^```text\n(patchbay\.example\.com \{\n[\s\S]*?)^```/m.exec(text)?.[1];
  if (block === undefined) throw new Error("The guide has no block of Caddy.");
  return block
    .replace("patchbay.example.com", `http://127.0.0.1:${port}`)
    .replace("127.0.0.1:3000", `127.0.0.1:${instance}`);
}

export async function startCaddy(instance: number): Promise<TestCaddy> {
  const program = findCaddy();
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-caddy-"));
  const port = await freePort();
  const configuration = path.join(folder, "Caddyfile");
  writeFileSync(configuration, `{\n  admin off\n}\n${await guideConfiguration(port, instance)}`);
  const child = spawn(program, ["run", "--adapter", "caddyfile", "--config", configuration], {
    env: { ...process.env, HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const atExit = () => child.kill("SIGKILL");
  process.once("exit", atExit);
  await untilAccepts(port, child, () => printed);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill("SIGKILL");
      await exited;
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

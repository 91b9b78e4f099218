import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readGuide } from "@/app/(console)/docs/read-guide";
import { findProgram } from "./find-program";
import { freePort } from "./product";
import { untilAccepts } from "./until-accepts";

export const findNginx = (): string => findProgram(["nginx", "/usr/sbin/nginx"], "nginx-light");

/** A request as nginx has answered it. */
export interface Answered {
  path: string;
  status: number;
  /** The port of the instance that nginx asked last. */
  port: number;
}

/** nginx in front of several instances, as the guide to proxies configures it. */
export interface TestNginx {
  url: string;
  answered(): Answered[];
  /** Stops nginx with all its connections, as a crash does. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The guide's configuration, with these ports instead of its addresses and without TLS. */
async function guideConfiguration(port: number, instances: readonly number[]): Promise<string> {
  const { text } = await readGuide("en", "proxy");
  const blocks = [...text.matchAll(/^```nginx\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  const block = blocks.find((code) => code.startsWith("upstream "));
  if (block === undefined) throw new Error("The guide has no block of nginx with an upstream.");
  return block
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/(?: *server 10\.[\d.]+:3000 (.*)\n)+/, (_, options: string) =>
      instances.map((instance) => `server 127.0.0.1:${instance} ${options}\n`).join(""),
    );
}

export async function startNginx(instances: readonly number[]): Promise<TestNginx> {
  const program = findNginx();
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-nginx-"));
  mkdirSync(path.join(folder, "temp"));
  const port = await freePort();
  const access = path.join(folder, "access.log");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/temp/${name};`,
  );
  const configuration = path.join(folder, "nginx.conf");
  writeFileSync(
    configuration,
    [
      process.getuid?.() === 0 ? "user root;" : "",
      "daemon off; worker_processes 1;",
      `pid ${folder}/pid; error_log ${folder}/error.log warn;`,
      "events { worker_connections 4096; }",
      "http {",
      "log_format tests '$status $uri $upstream_addr';",
      `access_log ${access} tests;`,
      ...temporary,
      await guideConfiguration(port, instances),
      "}",
    ].join("\n"),
  );
  let child: ChildProcess | null = null;
  const atExit = () => child?.kill("SIGTERM");
  process.once("exit", atExit);

  const server: TestNginx = {
    url: `http://127.0.0.1:${port}`,
    answered() {
      const lines = readFileSync(access, "utf8").trim().split("\n");
      return lines.map((line) => {
        const [status, uri = "", ...upstreams] = line.split(" ");
        return {
          status: Number(status),
          path: uri,
          port: Number(upstreams.at(-1)?.split(":").at(-1)),
        };
      });
    },
    async stop() {
      const running = child;
      if (running === null) return;
      child = null;
      const exited = new Promise((resolve) => running.once("exit", resolve));
      // On SIGTERM the master ends its workers at once, with all their connections; SIGKILL would leave them running.
      running.kill("SIGTERM");
      await exited;
    },
    async start() {
      if (child !== null) return;
      const started = spawn(program, ["-p", folder, "-c", configuration, "-e", `${folder}/error.log`], {
        stdio: "ignore",
      });
      child = started;
      await untilAccepts(port, started, () => readFileSync(`${folder}/error.log`, "utf8"));
    },
    async close() {
      await server.stop();
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** A closed-loop load: `connections` callers, each with one request in flight, for `seconds`. */

import { readFileSync } from "node:fs";
import http from "node:http";

/** CPU seconds (user and system) that a process has used, from /proc. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory in MB. */
export function residentMb(pid) {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return Number(kb) / 1024;
}

function once(agent, target, body) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = http.request(
      target.url,
      {
        method: "POST",
        agent,
        headers: { "content-type": "application/json", "content-length": body.length, ...target.headers },
      },
      (reply) => {
        let bytes = 0;
        reply.on("data", (chunk) => {
          bytes += chunk.length;
        });
        reply.on("end", () =>
          resolve({ status: reply.statusCode, ms: performance.now() - startedAt, bytes }),
        );
        reply.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Runs the load against `target {url, headers, body(i), pid}` and returns the figures of the measured part. */
export async function load(target, { connections = 64, seconds = 4, warmupSeconds = 1.5 } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  let failed = 0;
  let counter = 0;
  let isMeasured = false;
  let stopAt = performance.now() + warmupSeconds * 1000;
  const caller = async () => {
    while (performance.now() < stopAt) {
      const body = Buffer.from(target.body(counter++));
      const reply = await once(agent, target, body);
      if (reply.status !== 200) failed++;
      else if (isMeasured) times.push(reply.ms);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  isMeasured = true;
  const startedAt = performance.now();
  stopAt = startedAt + seconds * 1000;
  const cpuBefore = cpuSeconds(target.pid);
  await Promise.all(Array.from({ length: connections }, caller));
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(target.pid) - cpuBefore;
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    failed,
    perSecond: times.length / elapsed,
    cpuMicros: (cpu / Math.max(1, times.length)) * 1e6,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    residentMb: residentMb(target.pid),
  };
}

/** Prints a table of figures. */
export function printRows(title, rows) {
  console.log(`\n${title}`);
  console.log(
    `${"".padEnd(34)}${["CPU µs/req", "req/s", "p50 ms", "p99 ms", "RSS MB", "failed"].map((head) => head.padStart(12)).join("")}`,
  );
  for (const [name, row] of rows) {
    const cells = [
      row.cpuMicros.toFixed(0),
      row.perSecond.toFixed(0),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.residentMb.toFixed(0),
      String(row.failed),
    ];
    console.log(`${name.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join("")}`);
  }
}

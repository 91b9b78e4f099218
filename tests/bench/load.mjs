/** A closed-loop load over raw sockets: `connections` callers, each with one request in flight, for `seconds`. */

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import { HttpReplies } from "./http-replies.mjs";

const TICKS_PER_SECOND = 100;
/** One of this many replies is checked in full; of the others only the status and length. */
const CHECK_EVERY = 50;

/** Fields of /proc/<pid>/stat from the state on: [1] parent, [11] user ticks, [12] system ticks. */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
}

/** The process and all its descendants. */
function treeOf(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      parents.set(Number(name), Number(statOf(name)[1]));
    } catch {
      // The process ended meanwhile.
    }
  }
  const tree = [pid];
  for (const member of tree) for (const [child, parent] of parents) if (parent === member) tree.push(child);
  return tree;
}

/** CPU seconds (user and system) that a process and its descendants have used, from /proc. */
export function cpuSeconds(pid) {
  return treeOf(pid).reduce((sum, member) => {
    const fields = statOf(member);
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }, 0);
}

/** Resident memory of a process and its descendants in MB. */
export function residentMb(pid) {
  return treeOf(pid).reduce((sum, member) => {
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${member}/status`, "utf8"))?.[1] ?? "0";
    return sum + Number(kb) / 1024;
  }, 0);
}

function headOf({ url, headers = {} }) {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, "content-type": "application/json", ...headers });
  return `POST ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}`;
}

/** One kept-alive connection, once it is open; `ask` rejects when it breaks. */
async function connect(target) {
  const { hostname, port } = new URL(target.url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  const head = headOf(target);
  let waiting = null;
  const replies = new HttpReplies((reply) => waiting.resolve(reply));
  await once(socket, "connect");
  socket.on("data", (data) => replies.push(data));
  socket.on("error", () => socket.destroy());
  socket.on("close", () =>
    waiting?.reject(new Error("the connection was closed before the reply was whole")),
  );
  return {
    ask(body) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (socket.destroyed) reject(new Error("the connection is closed"));
        socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      });
    },
    close: () => socket.destroy(),
  };
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

let counter = 0;

/**
 * Calls on each of the open connections until `seconds` have passed; returns the time of each correct reply in ms, and
 * the number of other replies. A broken connection is replaced.
 */
async function run(target, connections, seconds) {
  const times = [];
  let failed = 0;
  const stopAt = performance.now() + seconds * 1000;
  const caller = async (_, index) => {
    while (performance.now() < stopAt) {
      const body = target.body(counter++);
      const startedAt = performance.now();
      try {
        const reply = await connections[index].ask(body);
        const ms = performance.now() - startedAt;
        const isChecked = times.length % CHECK_EVERY === 0 && target.check !== undefined;
        const isGood = reply.status === 200 && reply.length >= (target.minBytes ?? 1);
        if (isGood && (!isChecked || target.check(reply.body()))) times.push(ms);
        else failed++;
      } catch {
        failed++;
        connections[index] = await connect(target);
      }
    }
  };
  await Promise.all(connections.map(caller));
  return { times, failed };
}

/**
 * Runs the load against `target {url, headers, body(i), pid, minBytes?, check?(body)}` and returns the figures of the
 * measured part. A reply that is not 200, too short or fails its check counts as failed.
 */
export async function load(target, { connections = 64, seconds = 4, warmupSeconds = 1.5 } = {}) {
  const open = await Promise.all(Array.from({ length: connections }, () => connect(target)));
  const warm = await run(target, open, warmupSeconds);
  const startedAt = performance.now();
  const cpuBefore = cpuSeconds(target.pid);
  const { times, failed } = await run(target, open, seconds);
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(target.pid) - cpuBefore;
  for (const connection of open) connection.close();
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    failed: failed + warm.failed,
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

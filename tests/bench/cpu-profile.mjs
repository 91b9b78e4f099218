/** Reads V8 CPU profiles: self time by function and source file within a period. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) {
    const source = `${file}.map`;
    maps.set(file, existsSync(source) ? new SourceMap(JSON.parse(readFileSync(source, "utf8"))) : null);
  }
  return maps.get(file);
}

function originOf({ functionName, url, lineNumber, columnNumber }) {
  const name = functionName || "(anonymous)";
  if (!url.startsWith("file:")) return url === "" ? name : `${name}  ${url}`;
  const file = fileURLToPath(url);
  const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
  const source =
    entry?.originalSource === undefined ? file : path.resolve(path.dirname(file), entry.originalSource);
  const line = entry?.originalLine === undefined ? lineNumber : entry.originalLine;
  return `${name}  ${path.relative(process.cwd(), source)}:${line + 1}`;
}

/** Self time in µs by origin, of the samples between two instants (`process.hrtime` in µs). */
function selfTimes(profile, from, to) {
  const origins = new Map(profile.nodes.map((node) => [node.id, originOf(node.callFrame)]));
  const times = new Map();
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index];
    at += delta;
    if (at < from || at > to) continue;
    const origin = origins.get(id);
    times.set(origin, (times.get(origin) ?? 0) + delta);
  }
  times.delete("(idle)");
  times.delete("(root)");
  return times;
}

/** Prints the largest self times of every thread's profile in `folder`, in µs per request. */
export function printProfiles(folder, { from, to, requests, rows = 60 }) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".cpuprofile"))) {
    const times = selfTimes(JSON.parse(readFileSync(path.join(folder, name), "utf8")), from, to);
    const total = [...times.values()].reduce((sum, time) => sum + time, 0);
    if (total / (to - from) < 0.01) continue;
    console.log(`\nSelf time, µs/request (${(total / requests).toFixed(0)} in all; thread of ${name})`);
    for (const [origin, time] of [...times].sort((a, b) => b[1] - a[1]).slice(0, rows))
      console.log(`${(time / requests).toFixed(1).padStart(8)}  ${origin}`);
  }
}

/** Runs work that is cut into steps to its end, and returns its result. */
export function runSteps<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Milliseconds of CPU that this process has spent: what other programs of the machine do is not in it. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** What `work` costs in milliseconds of CPU: the cheapest of some runs, since a run may hold a collection or a compilation. */
export function costOf(work: () => unknown, runs = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const began = cpuMs();
    work();
    best = Math.min(best, cpuMs() - began);
  }
  return best;
}

/**
 * How many times as much `work` costs for a text of `factor` times the length: the least of some measurements, each the
 * cheapest of runs that take turns, since other programs may hold up any of them. 0 for work too short to measure.
 */
export function growthOf(work: (length: number) => unknown, length: number, factor: number): number {
  const leastMs = 4;
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && growth > factor * 1.3; attempt++) {
    let once = Number.POSITIVE_INFINITY;
    let longer = Number.POSITIVE_INFINITY;
    for (let run = 0; run <= attempt; run++) {
      longer = Math.min(
        longer,
        costOf(() => work(length * factor), 1),
      );
      if (longer < leastMs) return 0;
      once = Math.min(
        once,
        costOf(() => work(length), 2),
      );
    }
    growth = Math.min(growth, longer / once);
  }
  return growth;
}

/** The longest time between two steps in milliseconds of CPU: of several runs, the one in which it is the shortest. */
export function longestStepMs(begin: () => Generator<unknown, unknown, void>, runs = 10): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const steps = begin();
    let longest = 0;
    let isDone = false;
    while (!isDone) {
      const began = cpuMs();
      isDone = steps.next().done === true;
      longest = Math.max(longest, cpuMs() - began);
    }
    best = Math.min(best, longest);
  }
  return best;
}

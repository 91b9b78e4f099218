/** Runs a generator to its end and returns its result. */
export function runSteps<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** CPU time of this process in milliseconds, unaffected by other programs. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * CPU milliseconds of `work`: the minimum of several runs, since a run may include garbage collection or compilation.
 * The first run below `enoughMs` is the last.
 */
export function costOf(work: () => unknown, { runs = 5, enoughMs = 0 } = {}): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && best >= enoughMs; run++) {
    const startedAt = cpuMs();
    work();
    best = Math.min(best, cpuMs() - startedAt);
  }
  return best;
}

/**
 * How many times more CPU `work` needs for a text of `factor` times the length: the minimum of several measurements with
 * alternating runs, since other programs may slow down any of them. 0 for work too short to measure.
 */
export function growthOf(work: (length: number) => unknown, length: number, factor: number): number {
  const minMs = 4;
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && growth > factor * 1.3; attempt++) {
    let once = Number.POSITIVE_INFINITY;
    let longer = Number.POSITIVE_INFINITY;
    for (let run = 0; run <= attempt; run++) {
      longer = Math.min(
        longer,
        costOf(() => work(length * factor), { runs: 1 }),
      );
      if (longer < minMs) return 0;
      once = Math.min(
        once,
        costOf(() => work(length), { runs: 2 }),
      );
    }
    growth = Math.min(growth, longer / once);
  }
  return growth;
}

/** The longest step in CPU milliseconds: the minimum of up to ten runs, of which the first below `enoughMs` is the last. */
export function longestStepMs(begin: () => Generator<unknown, unknown, void>, enoughMs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10 && best >= enoughMs; run++) {
    const steps = begin();
    let longest = 0;
    let isDone = false;
    while (!isDone) {
      const startedAt = cpuMs();
      isDone = steps.next().done === true;
      longest = Math.max(longest, cpuMs() - startedAt);
    }
    best = Math.min(best, longest);
  }
  return best;
}

import type { Vocabulary } from "./vocabulary";

/** Ranks are below 2¹⁷; a queue entry is rank × 2³² + position, exact in a double. */
const POSITION = 2 ** 32;

function siftUp(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

function popMin(heap: number[]): number {
  const min = heap[0] ?? 0;
  const value = heap.pop() ?? 0;
  const size = heap.length;
  if (size === 0) return min;
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    const below = heap[child] ?? 0;
    if (below >= value) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = value;
  return min;
}

/** Merges and first lookups per step: about a millisecond's work. */
const WORK_PER_STEP = 4_096;

/**
 * Byte-pair encoding of one piece (a Latin-1 string, one character per byte): always merges the adjacent pair of the
 * lowest rank, the leftmost of equals. A queue over a linked list, O(n log n): the textbook loop is quadratic, and a
 * megabyte of one letter would block the process. Runs in steps, so that the caller can yield between them. Returns how
 * many tokens are left.
 */
export function* mergeInSteps(bytes: string, vocabulary: Vocabulary): Generator<void, number, void> {
  const length = bytes.length;
  // Zero-filled arrays, which the system allocates lazily, so that a long piece costs nothing before it is processed: a
  // part's length minus one, the distance to the previous part minus one, and the rank of a pair plus one.
  const partLength = new Int32Array(length + 1);
  const distance = new Int32Array(length + 1);
  const pairRank = new Int32Array(length + 1);
  const queue: number[] = [];
  const endOf = (start: number): number => start + (partLength[start] ?? 0) + 1;

  function enqueuePair(start: number): void {
    const middle = endOf(start);
    const rank = middle >= length ? -1 : vocabulary.rankOf(bytes, start, endOf(middle));
    pairRank[start] = rank + 1;
    if (rank >= 0) siftUp(queue, rank * POSITION + start);
  }

  for (let i = 0; i < length - 1; i++) {
    enqueuePair(i);
    if (i % WORK_PER_STEP === WORK_PER_STEP - 1) yield;
  }
  let count = length;
  for (let work = 1; queue.length > 0; work++) {
    if (work % WORK_PER_STEP === 0) yield;
    const entry = popMin(queue);
    const start = entry % POSITION;
    // Stale entry: the pair was merged already, or one of its halves has grown.
    if (pairRank[start] !== (entry - start) / POSITION + 1) continue;
    const middle = endOf(start);
    const end = endOf(middle);
    pairRank[middle] = 0;
    partLength[start] = end - start - 1;
    distance[end] = end - start - 1;
    count -= 1;
    enqueuePair(start);
    const before = start - (distance[start] ?? 0) - 1;
    if (before >= 0) enqueuePair(before);
  }
  return count;
}

/** `mergeInSteps` without pauses. */
export function countMerged(bytes: string, vocabulary: Vocabulary): number {
  const steps = mergeInSteps(bytes, vocabulary);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

import { AppError, isAppError } from "../../errors";
import type { EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import { type StopSignal, StopSource, stopReason } from "../../ports/stop-signal";
import { UpstreamProgress } from "../../ports/upstream-progress";

/** One text of one caller, waiting for its batch. */
export interface SingleText {
  text: string;
  /**
   * Equal texts within a scope are sent once. Across scopes they are sent separately: token counts would reveal them.
   */
  scope: string;
  /** Our own count of the text's tokens, from which `shareTokens` derives the text's share of the upstream's count. */
  tokens: number;
  options: CallOptions;
}

/** The fields of a request that must be equal for two texts to share a batch. */
export type BatchParameters = Omit<EmbeddingRequest, "texts">;
export type SendBatch = (request: EmbeddingRequest, options: CallOptions) => Promise<EmbeddingResult>;

export interface Batcher {
  /**
   * Embeds one text in a batch with the others that arrive within the window under the same `batchKey` (channel,
   * upstream key, model and parameters). Rejects like `send`. If a single text or the number of texts may have caused a
   * batch to fail, each text is sent again alone, so that no text makes the texts of other callers fail.
   */
  embed(
    batchKey: string,
    parameters: BatchParameters,
    single: SingleText,
    send: SendBatch,
  ): Promise<EmbeddingResult>;
}

/** How long a text waits for others while a batch with the same key is running. */
const WINDOW_MS = 2;
/** Most texts of one upstream call. OpenAI's limit is 2,048, the limit of many other servers is far lower. */
const MAX_BATCH = 64;

interface Member extends SingleText {
  resolve(result: EmbeddingResult): void;
  reject(error: unknown): void;
}

interface BatchQueue {
  members: Member[];
  running: number;
  /** Cancels the scheduled batch; null when none is scheduled. */
  cancel: (() => void) | null;
}

/** A signal that is aborted when every member has left. */
function whenAllLeft(members: readonly Member[]): StopSignal {
  const source = new StopSource();
  let left = members.length;
  const leave = (): void => {
    left -= 1;
    if (left === 0) source.abort(new AppError("caller_left", "Every client of the batch has disconnected."));
  };
  for (const { options } of members) {
    if (options.signal.aborted) leave();
    else options.signal.addEventListener("abort", leave, { once: true });
  }
  return source;
}

/** Makes the attempts of all members read the progress of the batch. */
function shareProgress(members: readonly Member[], batch: UpstreamProgress): void {
  for (const { options } of members) if (options.progress !== undefined) options.progress.batch = batch;
}

/** Makes each attempt read its own progress again, which keeps whether the upstream has replied to the batch. */
function separateProgress(members: readonly Member[]): void {
  for (const { options } of members) {
    const { progress } = options;
    if (progress === undefined) continue;
    progress.hasRepliedBefore = progress.batch?.hasHead === true;
    progress.batch = null;
  }
}

/** The texts without duplicates within a scope, and the index of each member's text among them. */
function distinct(members: readonly Member[]): { texts: string[]; positions: number[] } {
  const positionOf = new Map<string, number>();
  const texts: string[] = [];
  const positions = members.map(({ scope, text }) => {
    const name = JSON.stringify([scope, text]);
    const position = positionOf.get(name) ?? texts.push(text) - 1;
    positionOf.set(name, position);
    return position;
  });
  return { texts, positions };
}

function checkCount(result: EmbeddingResult, texts: number): void {
  if (result.vectors.length === texts) return;
  const message = `The channel returned ${result.vectors.length} vectors for ${texts} texts.`;
  throw new AppError("upstream_invalid", message);
}

async function sendTogether(
  members: readonly Member[],
  parameters: BatchParameters,
  send: SendBatch,
): Promise<void> {
  const { texts, positions } = distinct(members);
  const progress = new UpstreamProgress();
  shareProgress(members, progress);
  const options: CallOptions = {
    signal: whenAllLeft(members),
    requestId: members[0]?.options.requestId ?? "",
    traceparent: members[0]?.options.traceparent,
    firstByteBy: Math.max(...members.map((member) => member.options.firstByteBy)),
    progress,
    onReplied() {
      for (const { options: own } of members) own.onReplied?.();
    },
  };
  const result = await send({ texts, ...parameters }, options);
  checkCount(result, texts.length);
  const shares = result.inputTokens === null ? null : shareTokens(result.inputTokens, members);
  for (const [index, member] of members.entries()) {
    const vector = result.vectors[positions[index] ?? 0];
    // Never undefined: checkCount guarantees one vector per text.
    if (vector !== undefined) member.resolve({ vectors: [vector], inputTokens: shares?.[index] ?? null });
  }
}

/** Sends one member's text again, alone, unless its caller has left or its time is over. */
function sendAgain(member: Member, parameters: BatchParameters, send: SendBatch): Promise<void> | void {
  const { signal, onRepeat } = member.options;
  onRepeat?.();
  return signal.aborted ? member.reject(stopReason(signal)) : sendAlone(member, parameters, send);
}

async function sendAlone(member: Member, parameters: BatchParameters, send: SendBatch): Promise<void> {
  try {
    const result = await send({ texts: [member.text], ...parameters }, member.options);
    checkCount(result, 1);
    member.resolve(result);
  } catch (error) {
    member.reject(error);
  }
}

/**
 * Statuses with which servers refuse a whole request because of one of its texts: llama.cpp and Ollama answer 500, and
 * firewalls 403. Not 502, 503 and 504: such a server would serve none of the texts.
 */
const STATUSES_OF_A_TEXT: ReadonlySet<number | undefined> = new Set([400, 403, 404, 413, 422, 500]);

/**
 * True for a failure that one text of a batch, or the number of its texts, may have caused. Sending each text alone
 * then costs one upstream call more than no batching.
 */
function mayBeCausedByTexts(error: unknown): boolean {
  if (!isAppError(error) || error.details.isUnknownModel === true) return false;
  const { code, details } = error;
  if (code === "upstream_rate_limited") return details.isCausedByRequest === true;
  if (code === "upstream_error")
    return details.upstreamRefusal === undefined && STATUSES_OF_A_TEXT.has(details.upstreamStatus);
  return code === "invalid" || code === "upstream_invalid";
}

async function sendBatch(
  members: readonly Member[],
  parameters: BatchParameters,
  send: SendBatch,
): Promise<void> {
  const [only] = members;
  if (only !== undefined && members.length === 1) return sendAlone(only, parameters, send);
  try {
    await sendTogether(members, parameters, send);
  } catch (error) {
    if (mayBeCausedByTexts(error)) {
      separateProgress(members);
      await Promise.all(members.map((member) => sendAgain(member, parameters, send)));
    } else {
      for (const member of members) member.reject(error);
    }
  }
}

/** `onBatch` gets the number of texts of each batch. */
export function createBatcher(
  onBatch: (size: number) => void = () => undefined,
  limits: { windowMs?: number; maxBatch?: number } = {},
): Batcher {
  const queues = new Map<string, BatchQueue>();
  const windowMs = limits.windowMs ?? WINDOW_MS;
  const maxBatch = limits.maxBatch ?? MAX_BATCH;

  function flush(name: string, queue: BatchQueue, parameters: BatchParameters, send: SendBatch): void {
    queue.cancel = null;
    const members = queue.members.splice(0, maxBatch).filter((member) => !member.options.signal.aborted);
    if (members.length === 0) {
      if (queue.running === 0) queues.delete(name);
      return;
    }
    queue.running += 1;
    onBatch(members.length);
    void sendBatch(members, parameters, send).finally(() => {
      queue.running -= 1;
      if (queue.running === 0 && queue.members.length === 0) queues.delete(name);
    });
  }

  return {
    embed(name, parameters, single, send) {
      return new Promise<EmbeddingResult>((resolve, reject) => {
        const queue = queues.get(name) ?? { members: [], running: 0, cancel: null };
        queues.set(name, queue);
        queue.members.push({ resolve, reject, ...single });
        const go = (): void => flush(name, queue, parameters, send);
        if (queue.members.length >= maxBatch) {
          queue.cancel?.();
          go();
        } else if (queue.cancel === null) {
          // While no batch is running, a text waits only for the other texts of this turn of the event loop.
          queue.cancel = queue.running === 0 ? scheduleImmediate(go) : scheduleAfter(windowMs, go);
        }
      });
    },
  };
}

function scheduleImmediate(action: () => void): () => void {
  const planned = setImmediate(action);
  return () => clearImmediate(planned);
}

function scheduleAfter(ms: number, action: () => void): () => void {
  const planned = setTimeout(action, ms);
  return () => clearTimeout(planned);
}

/** Tokens that an upstream adds to each text, such as [CLS] and [SEP]. */
const ADDED_TOKENS = 2;

/**
 * Divides the upstream's token count of a batch among its texts: the part up to the sum of our own counts in proportion
 * to these counts, and the excess in proportion to how far each text's bytes exceed its count. No tokenizer makes more
 * tokens than bytes, so a text that has few tokens for us and many for the upstream ("=====…") is not charged to the
 * other callers of its batch.
 */
export function shareTokens(
  total: number,
  members: readonly Pick<SingleText, "text" | "tokens">[],
): number[] {
  const counts = members.map(({ tokens }) => tokens);
  const counted = sumOf(counts);
  if (total <= counted) return distribute(total, counts);
  const room = members.map(({ text, tokens }) =>
    Math.max(0, Buffer.byteLength(text) + ADDED_TOKENS - tokens),
  );
  const excess = distribute(total - counted, room);
  return counts.map((count, index) => count + (excess[index] ?? 0));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/**
 * Splits `total` whole units in proportion to `weights` by the largest-remainder (Hamilton) method: each share is the
 * exact one rounded up or down, and the shares add up to `total`. Equal shares when all weights are 0.
 */
export function distribute(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0) return [];
  const sum = sumOf(weights);
  const exact = weights.map((weight) => (sum === 0 ? total / weights.length : (total * weight) / sum));
  const shares = exact.map(Math.floor);
  let left = total - sumOf(shares);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder) {
    if (left <= 0) break;
    shares[index] = (shares[index] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}

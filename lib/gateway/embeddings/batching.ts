import { AppError, hasCode } from "../../errors";
import type { EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { dealOut } from "./deal-out";

/** One text of one caller, waiting for its batch. */
export interface SingleText {
  text: string;
  /** Equal texts of one scope are sent once; of two scopes twice, or the token counts would show one what the other sent. */
  scope: string;
  /** Counted here; what the upstream's count is dealt out by. */
  tokens: number;
  options: CallOptions;
}

/** Everything of a request that must be equal for two texts to travel together. */
export type BatchParameters = Omit<EmbeddingRequest, "texts">;
export type SendBatch = (request: EmbeddingRequest, options: CallOptions) => Promise<EmbeddingResult>;

export interface Batcher {
  /**
   * Embeds one text together with the others that arrive within the window under the same `place` (channel, key,
   * model and parameters). Rejects as `send` does; a batch refused as `invalid` is sent again text by text.
   */
  embed(
    place: string,
    parameters: BatchParameters,
    single: SingleText,
    send: SendBatch,
  ): Promise<EmbeddingResult>;
}

/** How long a text waits for company while another batch of its place is under way. */
const WINDOW_MS = 2;
/** Texts an upstream takes in one call; OpenAI's own limit is 2,048, many servers' far lower. */
const MAX_BATCH = 64;

interface Member extends SingleText {
  resolve(result: EmbeddingResult): void;
  reject(error: unknown): void;
}

interface Place {
  members: Member[];
  running: number;
  /** Takes back the sending that is planned; null when none is. */
  cancel: (() => void) | null;
}

/** A signal that is aborted when every member has left. */
function whenAllLeft(members: readonly Member[]): AbortSignal {
  const controller = new AbortController();
  let left = members.length;
  const leave = (): void => {
    left -= 1;
    if (left === 0) controller.abort(new AppError("caller_left", "Every caller of the batch has left."));
  };
  for (const { options } of members) {
    if (options.signal.aborted) leave();
    else options.signal.addEventListener("abort", leave, { once: true });
  }
  return controller.signal;
}

/** The attempts of all members learn of their upstream from the batch's own progress; null: each from its own again. */
function shareProgress(members: readonly Member[], batch: UpstreamProgress | null): void {
  for (const { options } of members) if (options.progress !== undefined) options.progress.batch = batch;
}

/** The texts without repetition within a scope, and the index of each member's text among them. */
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
  const message = `The channel answered ${result.vectors.length} vectors for ${texts} texts.`;
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
    firstByteBy: Math.max(...members.map((member) => member.options.firstByteBy)),
    progress,
  };
  const result = await send({ ...parameters, texts }, options);
  checkCount(result, texts.length);
  const weights = members.map((member) => member.tokens);
  const shares = result.inputTokens === null ? null : dealOut(result.inputTokens, weights);
  for (const [index, member] of members.entries()) {
    const vector = result.vectors[positions[index] ?? 0];
    // checkCount has seen one for each text.
    if (vector !== undefined) member.resolve({ vectors: [vector], inputTokens: shares?.[index] ?? null });
  }
}

async function sendAlone(member: Member, parameters: BatchParameters, send: SendBatch): Promise<void> {
  try {
    const result = await send({ ...parameters, texts: [member.text] }, member.options);
    checkCount(result, 1);
    member.resolve(result);
  } catch (error) {
    member.reject(error);
  }
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
    // One text may have spoilt it for all: only alone does each hear what is wrong with its own. No text is to blame
    // for a model that the upstream does not know.
    if (hasCode(error, "invalid") && error.details.isUnknownModel !== true) {
      shareProgress(members, null);
      await Promise.all(members.map((member) => sendAlone(member, parameters, send)));
    } else {
      for (const member of members) member.reject(error);
    }
  }
}

/** `onBatch` is told how many texts travelled together. */
export function createBatcher(
  onBatch: (size: number) => void = () => undefined,
  limits: { windowMs?: number; maxBatch?: number } = {},
): Batcher {
  const places = new Map<string, Place>();
  const windowMs = limits.windowMs ?? WINDOW_MS;
  const maxBatch = limits.maxBatch ?? MAX_BATCH;

  function flush(name: string, place: Place, parameters: BatchParameters, send: SendBatch): void {
    place.cancel = null;
    const members = place.members.splice(0, maxBatch).filter((member) => !member.options.signal.aborted);
    if (members.length === 0) {
      if (place.running === 0) places.delete(name);
      return;
    }
    place.running += 1;
    onBatch(members.length);
    void sendBatch(members, parameters, send).finally(() => {
      place.running -= 1;
      if (place.running === 0 && place.members.length === 0) places.delete(name);
    });
  }

  return {
    embed(name, parameters, single, send) {
      return new Promise<EmbeddingResult>((resolve, reject) => {
        const place = places.get(name) ?? { members: [], running: 0, cancel: null };
        places.set(name, place);
        place.members.push({ ...single, resolve, reject });
        const go = (): void => flush(name, place, parameters, send);
        if (place.members.length >= maxBatch) {
          place.cancel?.();
          go();
        } else if (place.cancel === null) {
          // Nobody is on the way: only what arrived in this turn of the loop is waited for.
          place.cancel = place.running === 0 ? soon(go) : after(windowMs, go);
        }
      });
    },
  };
}

function soon(action: () => void): () => void {
  const planned = setImmediate(action);
  return () => clearImmediate(planned);
}

function after(ms: number, action: () => void): () => void {
  const planned = setTimeout(action, ms);
  return () => clearTimeout(planned);
}

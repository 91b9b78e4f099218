import type { AppError } from "../../errors";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { Breaker } from "./breaker";

/** True when a failure counts for the key: no response head arrived, or the upstream refused the key or its account. */
function isAboutKey({ code, details }: AppError, progress: UpstreamProgress): boolean {
  const { hasHead, hasRepliedBefore, isLarge, batch } = progress;
  if (details.upstreamRefusal !== undefined) return true;
  if (details.upstreamStatus !== undefined) return false;
  if (code === "upstream_timeout" && (isLarge || hasRepliedBefore)) return false;
  return (code === "upstream_error" || code === "upstream_timeout") && !(batch?.hasHead ?? hasHead);
}

/**
 * Reports an attempt's results to its two circuits, that of the upstream key and that of the model:
 *
 * | result                                         | key's circuit     | model's circuit   |
 * | ---------------------------------------------- | ----------------- | ----------------- |
 * | `answered`: the first byte has arrived         | a probe closes it | a probe closes it |
 * | `succeeded`                                    | success           | success           |
 * | `failed`, before a head, or the key is refused | failure           | unchanged         |
 * | `failed`, otherwise                            | success           | failure           |
 * | `endedWithoutResult`                           | unchanged         | unchanged         |
 *
 * Call exactly one of the last three methods, once. That call, or an earlier `answered`, ends the probe if this attempt
 * is one, so that the next probe may begin.
 */
export class CircuitPermit {
  #isOver = false;
  #hasAnswered = false;
  readonly #isKeyProbe: boolean;
  readonly #isModelProbe: boolean;

  constructor(
    private readonly keyBreaker: Breaker,
    private readonly modelBreaker: Breaker,
  ) {
    this.#isKeyProbe = keyBreaker.begin();
    this.#isModelProbe = modelBreaker.begin();
  }

  answered(): void {
    if (this.#isOver || this.#hasAnswered) return;
    this.#hasAnswered = true;
    for (const [breaker, isProbe] of this.#levels()) {
      if (isProbe) breaker.close();
      // The next probe must not wait for the end of this one's stream.
      breaker.end(isProbe);
    }
  }

  succeeded({ batch }: UpstreamProgress): void {
    if (!this.#end()) return;
    // A probe closed its circuit at its first byte. Its end must not close a circuit that has opened since.
    for (const [breaker, isProbe] of this.#levels()) breaker.succeeded(isProbe && !this.#hasAnswered, batch);
  }

  failed(error: AppError, progress: UpstreamProgress): void {
    if (!this.#end()) return;
    if (isAboutKey(error, progress)) {
      this.keyBreaker.failed(error, this.#reopens(this.keyBreaker, this.#isKeyProbe), progress.batch);
      if (!this.#hasAnswered) this.modelBreaker.end(this.#isModelProbe);
    } else {
      // The upstream answered: connection and key work.
      this.keyBreaker.succeeded(this.#isKeyProbe && !this.#hasAnswered, progress.batch);
      this.modelBreaker.failed(error, this.#reopens(this.modelBreaker, this.#isModelProbe), progress.batch);
    }
  }

  /** The attempt says nothing about the upstream: the caller left, or the request was invalid. */
  endedWithoutResult(): void {
    if (!this.#end() || this.#hasAnswered) return;
    for (const [breaker, isProbe] of this.#levels()) breaker.end(isProbe);
  }

  #levels(): readonly (readonly [Breaker, boolean])[] {
    return [
      [this.keyBreaker, this.#isKeyProbe],
      [this.modelBreaker, this.#isModelProbe],
    ];
  }

  /**
   * True when the failure of a probe reopens its circuit: also after its first byte, unless the circuit has opened
   * since.
   */
  #reopens(breaker: Breaker, isProbe: boolean): boolean {
    return isProbe && (!this.#hasAnswered || breaker.access === "closed");
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    return true;
  }
}

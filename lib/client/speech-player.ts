import { releaseUrl } from "./save-file";
import { durationMsOf, findPause, SAMPLE_RATE, wavOf } from "./speech-pcm";
import { SpeechStreamPlayer } from "./speech-stream-player";

export interface PlayerState {
  /** `arriving`: a take plays while it arrives; `finished`: a finished take is in the audio element. */
  phase: "empty" | "arriving" | "finished";
  isPlaying: boolean;
  /** What plays: the arriving stream or the audio element. */
  source: "stream" | "element";
  /** Seconds that have arrived so far. */
  duration: number;
  rate: number;
}

const EMPTY: PlayerState = { phase: "empty", isPlaying: false, source: "element", duration: 0, rate: 1 };
/** Seconds by which the element starts before the hand-over point. */
const ELEMENT_LEAD = 0.03;
/** Minimum time between two updates of the arriving duration. */
const DURATION_UPDATE_MS = 150;

/**
 * The page's player: plays a take through Web Audio while it arrives, and through an `<audio>` element once it is
 * finished (seek, playback speed, replay). The hand-over between them happens in a pause of the speech, where it is
 * inaudible. State is read with `subscribe` and `snapshot` (useSyncExternalStore), the position with `position`.
 */
export class SpeechPlayer {
  #audio: HTMLAudioElement | null = null;
  #context: AudioContext | null = null;
  #stream: SpeechStreamPlayer | null = null;
  #handOverTimer: ReturnType<typeof setTimeout> | null = null;
  #url: string | null = null;
  #state = EMPTY;
  /** Samples of the arriving take. */
  #arrived = 0;
  /** `performance.now()` of the last update of the duration. */
  #updatedAt = 0;
  readonly #listeners = new Set<() => void>();

  /** Sets the element to play through; the returned function releases all resources. */
  attach(audio: HTMLAudioElement): () => void {
    this.#audio = audio;
    const update = () => {
      if (this.#stream === null) this.#set({ isPlaying: !audio.paused && !audio.ended });
    };
    for (const name of ["play", "pause", "ended"]) audio.addEventListener(name, update);
    return () => {
      for (const name of ["play", "pause", "ended"]) audio.removeEventListener(name, update);
      this.clear();
      this.#audio = null;
      this.#context?.close().catch(() => undefined);
      this.#context = null;
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): PlayerState => this.#state;
  readonly serverSnapshot = (): PlayerState => EMPTY;

  /** Playback position in seconds. */
  position(): number {
    return this.#stream ? this.#stream.position() : (this.#audio?.currentTime ?? 0);
  }

  /** Prepares for an arriving take. Call it in the user's click or key press: browsers require that for audio. */
  begin(): void {
    this.clear();
    this.#arrived = 0;
    this.#updatedAt = 0;
    try {
      this.#context ??= new AudioContext({ sampleRate: SAMPLE_RATE });
      this.#context.resume().catch(() => undefined);
      this.#stream = new SpeechStreamPlayer(this.#context, () => this.#streamEnded());
    } catch {
      // Without Web Audio (Lockdown Mode, Tor Browser) the take plays in the element once it is finished.
    }
    this.#set({
      phase: "arriving",
      isPlaying: true,
      source: this.#stream ? "stream" : "element",
      duration: 0,
    });
  }

  push(samples: Int16Array<ArrayBuffer>): void {
    this.#stream?.push(samples);
    this.#arrived += samples.length;
    // Chunks arrive far more often than the duration needs to be rendered.
    const now = performance.now();
    if (now - this.#updatedAt < DURATION_UPDATE_MS) return;
    this.#updatedAt = now;
    this.#set({ duration: this.#arrived / SAMPLE_RATE });
  }

  /** Ends the arriving take: from now on it supports seeking, playback speed and replay. */
  finish(samples: Int16Array<ArrayBuffer>): void {
    this.#stream?.close();
    this.#loadElement(samples);
    if (!this.#state.isPlaying) this.#leaveStream();
    else if (this.#stream) this.#planHandOver(samples);
    else this.#continueInElement();
  }

  /** Loads a take of the history at its start. */
  load(samples: Int16Array<ArrayBuffer>): void {
    this.clear();
    this.#loadElement(samples);
  }

  /** Loads another take at the current position; if the player was playing, it continues. */
  swap(samples: Int16Array<ArrayBuffer>): void {
    const { isPlaying } = this.#state;
    const position = this.position();
    this.load(samples);
    this.seek(position < this.#state.duration ? position : 0);
    if (isPlaying) this.play();
  }

  clear(): void {
    this.#dropStream();
    this.#audio?.pause();
    this.#audio?.removeAttribute("src");
    // Without load() the element continues to read its former source.
    this.#audio?.load();
    if (this.#url) releaseUrl(this.#url);
    this.#url = null;
    this.#set({ ...EMPTY, rate: this.#state.rate });
  }

  play(): void {
    if (this.#stream && this.#state.phase === "arriving") {
      this.#context?.resume().catch(() => undefined);
      this.#set({ isPlaying: true });
      return;
    }
    this.#continueInElement();
  }

  pause(): void {
    if (this.#stream && this.#state.phase === "arriving") {
      this.#context?.suspend().catch(() => undefined);
      this.#set({ isPlaying: false });
      return;
    }
    this.#leaveStream();
    this.#audio?.pause();
    this.#set({ isPlaying: false });
  }

  toggle(): void {
    if (this.#state.isPlaying) this.pause();
    else if (this.#state.phase !== "empty") this.play();
  }

  seek(seconds: number): void {
    const to = Math.max(0, Math.min(seconds, this.#state.duration));
    if (this.#stream && this.#state.phase === "arriving") {
      this.#stream.seek(to);
      return;
    }
    const wasPlaying = this.#state.isPlaying;
    this.#leaveStream();
    if (!this.#audio) return;
    this.#audio.currentTime = to;
    if (wasPlaying) this.play();
  }

  /** Playback speed of the finished take, with unchanged pitch: 1 is as recorded. */
  setRate(rate: number): void {
    this.#set({ rate });
    if (!this.#audio) return;
    this.#audio.defaultPlaybackRate = rate;
    this.#audio.playbackRate = rate;
    if (this.#stream && this.#state.phase === "finished") this.#continueInElement();
  }

  #loadElement(samples: Int16Array<ArrayBuffer>): void {
    if (!this.#audio) return;
    if (this.#url) releaseUrl(this.#url);
    this.#url = URL.createObjectURL(new Blob([wavOf(samples)], { type: "audio/wav" }));
    this.#audio.src = this.#url;
    this.#audio.defaultPlaybackRate = this.#state.rate;
    this.#audio.playbackRate = this.#state.rate;
    this.#set({ phase: "finished", duration: durationMsOf(samples) / 1000 });
  }

  #planHandOver(samples: Int16Array<ArrayBuffer>): void {
    if (this.#state.rate !== 1) {
      this.#continueInElement();
      return;
    }
    const position = this.position();
    const pause = findPause(samples, Math.round((position + 0.3) * SAMPLE_RATE));
    // No pause ahead: the stream plays to its end, and the element is used after that.
    if (pause < 0) return;
    const seconds = pause / SAMPLE_RATE;
    if (this.#audio) this.#audio.currentTime = seconds;
    this.#handOverTimer = setTimeout(
      () => this.#handOver(seconds),
      (seconds - position - ELEMENT_LEAD) * 1000,
    );
  }

  #handOver(seconds: number): void {
    const stream = this.#stream;
    const audio = this.#audio;
    if (!stream || !audio) return;
    stream.muteAt(seconds);
    audio.play().then(
      () => {
        if (this.#stream === stream) this.#dropStream();
      },
      // A browser may refuse to start an element outside of a click: then the stream continues.
      () => stream.muteAt(null),
    );
  }

  /** Continues in the element from the stream's position, immediately. */
  #continueInElement(): void {
    this.#leaveStream();
    this.#audio?.play().catch(() => this.#set({ isPlaying: false }));
  }

  /** Stops the stream and moves the element to its position, without playing. */
  #leaveStream(): void {
    if (!this.#stream) return;
    const position = this.position();
    this.#dropStream();
    if (this.#audio) this.#audio.currentTime = position;
  }

  #dropStream(): void {
    if (this.#handOverTimer !== null) clearTimeout(this.#handOverTimer);
    this.#handOverTimer = null;
    this.#stream?.stop();
    this.#stream = null;
    this.#set({ source: "element" });
  }

  #streamEnded(): void {
    this.#dropStream();
    // The element would otherwise start again at the planned hand-over point.
    if (this.#audio) this.#audio.currentTime = 0;
    this.#set({ isPlaying: false });
  }

  #set(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

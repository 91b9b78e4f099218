import { releaseUrl } from "./object-url";
import { durationMsOf, findPause, SAMPLE_RATE, wavOf } from "./speech-pcm";
import { SpeechStreamPlayer } from "./speech-stream-player";

export interface PlayerState {
  /** `arriving`: sound plays while it comes in; `whole`: a finished take is in the audio element. */
  phase: "empty" | "arriving" | "whole";
  isPlaying: boolean;
  /** What sounds: the arriving stream, or the element. The element's own position counts only then. */
  source: "stream" | "element";
  /** Seconds there are so far. */
  duration: number;
  rate: number;
}

const EMPTY: PlayerState = { phase: "empty", isPlaying: false, source: "element", duration: 0, rate: 1 };
const SEEK_BACK = 0.03;
const TELL_MS = 150;

/**
 * One player for the page: a take is heard from the Web Audio clock while it arrives and from an `<audio>` element
 * once it is whole (seek, playback speed, replay). The change of source happens in a pause of the speech, where it
 * cannot be heard. State is read with `subscribe` and `snapshot` (useSyncExternalStore), the position with `position`.
 */
export class SpeechPlayer {
  #audio: HTMLAudioElement | null = null;
  #context: AudioContext | null = null;
  #stream: SpeechStreamPlayer | null = null;
  #handOver: ReturnType<typeof setTimeout> | null = null;
  #url: string | null = null;
  #state = EMPTY;
  /** Samples of the arriving take, and when the page was last told how many. */
  #arrived = 0;
  #toldAt = 0;
  readonly #listeners = new Set<() => void>();
  readonly #makeContext: () => AudioContext;

  constructor(makeContext: () => AudioContext = () => new AudioContext({ sampleRate: SAMPLE_RATE })) {
    this.#makeContext = makeContext;
  }

  /** Gives the element to play through; the returned function lets go of everything. */
  attach(audio: HTMLAudioElement): () => void {
    this.#audio = audio;
    const isHeard = () => this.#stream === null;
    const update = () => {
      if (isHeard()) this.#set({ isPlaying: !audio.paused && !audio.ended });
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

  /** Seconds into the take. */
  position(): number {
    return this.#stream ? this.#stream.position() : (this.#audio?.currentTime ?? 0);
  }

  /** Makes ready for a take that will arrive. Call it in the user's own click or key press: browsers ask for that. */
  begin(): void {
    this.clear();
    this.#arrived = 0;
    this.#toldAt = 0;
    this.#context ??= this.#makeContext();
    this.#context.resume().catch(() => undefined);
    this.#stream = new SpeechStreamPlayer(this.#context, () => this.#streamEnded());
    this.#set({ phase: "arriving", isPlaying: true, source: "stream", duration: 0 });
  }

  push(samples: Int16Array<ArrayBuffer>): void {
    this.#stream?.push(samples);
    this.#arrived += samples.length;
    // Long speech arrives far faster than the page needs to draw its length.
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#set({ duration: this.#arrived / SAMPLE_RATE });
  }

  /** The take has arrived (or was stopped): from now on it can be sought, slowed and replayed. */
  finish(samples: Int16Array<ArrayBuffer>): void {
    this.#stream?.close();
    this.#put(samples);
    if (this.#stream && this.#state.isPlaying) this.#planHandOver(samples);
    else this.#leaveStream();
  }

  /** Puts a take of the history under the needle, at its beginning. */
  load(samples: Int16Array<ArrayBuffer>): void {
    this.clear();
    this.#put(samples);
  }

  /** Puts another take under the needle where the one before stands; what was playing plays on. */
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
    // Without it the element goes on reading what it had.
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
    this.#leaveStream();
    this.#audio?.play().catch(() => this.#set({ isPlaying: false }));
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

  /** Playback speed of the finished take, pitch kept: 1 is as recorded. */
  setRate(rate: number): void {
    this.#set({ rate });
    if (!this.#audio) return;
    this.#audio.defaultPlaybackRate = rate;
    this.#audio.playbackRate = rate;
    if (this.#stream && this.#state.phase === "whole") this.#goOnInElement();
  }

  #put(samples: Int16Array<ArrayBuffer>): void {
    if (!this.#audio) return;
    if (this.#url) releaseUrl(this.#url);
    this.#url = URL.createObjectURL(new Blob([wavOf(samples)], { type: "audio/wav" }));
    this.#audio.src = this.#url;
    this.#audio.defaultPlaybackRate = this.#state.rate;
    this.#audio.playbackRate = this.#state.rate;
    this.#set({ phase: "whole", duration: durationMsOf(samples) / 1000 });
  }

  #planHandOver(samples: Int16Array<ArrayBuffer>): void {
    if (this.#state.rate !== 1) {
      this.#goOnInElement();
      return;
    }
    const position = this.position();
    const pause = findPause(samples, Math.round((position + 0.3) * SAMPLE_RATE));
    // No pause ahead: the stream plays out, and the element takes over for whatever the listener does next.
    if (pause < 0) return;
    const seconds = pause / SAMPLE_RATE;
    if (this.#audio) this.#audio.currentTime = seconds;
    this.#handOver = setTimeout(() => this.#changeSource(seconds), (seconds - position - SEEK_BACK) * 1000);
  }

  #changeSource(seconds: number): void {
    const stream = this.#stream;
    const audio = this.#audio;
    if (!stream || !audio) return;
    stream.muteAt(seconds);
    audio.play().then(
      () => {
        if (this.#stream === stream) this.#dropStream();
      },
      // A browser may refuse to start an element outside of a click: then the stream speaks on.
      () => stream.muteAt(null),
    );
  }

  /** Plays on in the element from where the stream is, at once. */
  #goOnInElement(): void {
    this.#leaveStream();
    this.#audio?.play().catch(() => this.#set({ isPlaying: false }));
  }

  /** The element stands where the stream was; nothing sounds. */
  #leaveStream(): void {
    if (!this.#stream) return;
    const position = this.position();
    this.#dropStream();
    if (this.#audio) this.#audio.currentTime = position;
  }

  #dropStream(): void {
    if (this.#handOver !== null) clearTimeout(this.#handOver);
    this.#handOver = null;
    this.#stream?.stop();
    this.#stream = null;
    this.#set({ source: "element" });
  }

  #streamEnded(): void {
    this.#dropStream();
    // An element whose source is cut short of its end would otherwise start again from the hand-over point.
    if (this.#audio) this.#audio.currentTime = 0;
    this.#set({ isPlaying: false });
  }

  #set(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

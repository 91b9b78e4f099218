/** The part of @echogarden/espeak-ng-emscripten that is used here; the package has no types. */
declare module "@echogarden/espeak-ng-emscripten" {
  export interface EspeakWorker {
    /** Words per minute, 80–450; 175 is natural. */
    set_rate(rate: number): void;
    /** 0–99; 50 is the voice's own. */
    set_pitch(pitch: number): void;
    set_range(range: number): void;
    set_volume(volume: number): void;
    /** 0 when the voice exists. */
    set_voice(name: string): number;
    get_samplerate(): number;
    /** Calls back with blocks of samples (null at the end) while it speaks; returning true stops it. */
    synthesize(text: string, callback: (audio: Int16Array | null, events: unknown[]) => boolean): void;
    /** The text in IPA: phonemes with "_" between them, words with spaces. */
    synthesize_ipa(text: string): { code: number; ipa: string };
  }
  export interface EspeakModule {
    eSpeakNGWorker: new () => EspeakWorker;
  }
  const init: (options?: object) => Promise<EspeakModule>;
  export default init;
}

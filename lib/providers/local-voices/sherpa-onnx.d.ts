/** The part of sherpa-onnx-node that is used here; the package has no types. */
declare module "sherpa-onnx-node" {
  /** Paths; sherpa-onnx ends the process when one is missing or its content is wrong. */
  export interface OfflineTtsConfig {
    model: {
      kokoro?: Record<string, string | undefined>;
      kitten?: Record<string, string | undefined>;
      matcha?: Record<string, string | undefined>;
      vits?: Record<string, string | undefined>;
      numThreads: number;
      provider: "cpu";
      debug: boolean;
    };
    /** Sentences in one run of the model. */
    maxNumSentences: number;
    /** Paths, separated by commas. */
    ruleFsts?: string;
    ruleFars?: string;
  }
  class OfflineTts {
    constructor(config: OfflineTtsConfig);
    readonly numSpeakers: number;
    readonly sampleRate: number;
    generate(request: {
      text: string;
      sid: number;
      speed: number;
      /** False: the samples are in ordinary memory, which the garbage collector frees. */
      enableExternalBuffer: boolean;
    }): { samples: Float32Array; sampleRate: number };
  }
  const sherpa: { OfflineTts: typeof OfflineTts };
  export default sherpa;
}

/** The part of @energetic-ai/core (TensorFlow.js 4.5) that is used here; its own types need packages of TensorFlow. */
declare module "@energetic-ai/core" {
  export interface Tensor {
    data(): Promise<Float32Array>;
    dispose(): void;
  }
  export interface GraphModel {
    executeAsync(inputs: Record<string, Tensor>): Promise<Tensor>;
  }
  export interface ModelArtifacts {
    modelTopology: object;
    weightSpecs: readonly object[];
    weightData: ArrayBuffer;
  }
  export const io: { fromMemory(artifacts: ModelArtifacts): object };
  export function loadGraphModel(handler: object): Promise<GraphModel>;
  /** False when the backend cannot be started. */
  export function setBackend(name: "wasm"): Promise<boolean>;
  export function tensor1d(values: Int32Array, type: "int32"): Tensor;
  export function tensor2d(values: Int32Array, shape: [number, number], type: "int32"): Tensor;
}

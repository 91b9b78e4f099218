import { layOutByUmap, type UmapInput } from "./umap";

export type UmapMessage =
  | { kind: "progress"; done: number; count: number }
  | { kind: "done"; points: Float64Array<ArrayBuffer> };

const EPOCHS_PER_REPORT = 10;

const report = (message: UmapMessage) => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<UmapInput>) => {
  const points = layOutByUmap(data, (done, count) => {
    if (done % EPOCHS_PER_REPORT === 0) report({ kind: "progress", done, count });
  });
  report({ kind: "done", points });
});

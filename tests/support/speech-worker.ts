/**
 * A stand-in for the bundled speech worker that needs no engine: a chunk of n characters becomes n × 50 ms of a wave
 * that is the same each time. `crash` ends the thread, `hang` never answers, `refuse` fails in words.
 */
export const FAKE_SPEECH_WORKER = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, chunk }) => {
      if (chunk.text.startsWith("hang")) return;
      if (chunk.text.startsWith("crash")) process.exit(1);
      if (chunk.text.startsWith("refuse")) {
        parentPort.postMessage({ id, error: { code: "invalid", message: "No, thank you." } });
        return;
      }
      const samples = new Int16Array(chunk.text.length * 1200);
      for (let i = 0; i < samples.length; i++) samples[i] = ((i * 7919) % 20_000) + 1;
      const pcm = new Uint8Array(samples.buffer);
      parentPort.postMessage({ id, pcm }, [pcm.buffer]);
    });
  `)}`,
);

/** Bytes the stand-in makes of one character. */
export const BYTES_PER_CHARACTER = 2400;

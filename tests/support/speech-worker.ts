/**
 * A fake of the bundled speech worker that needs no engine: a chunk of n characters becomes n × 50 ms of a deterministic
 * wave. `crash` ends the thread, `hang` never answers, `refuse` answers with an error.
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

/** Audio bytes that the fake produces per character. */
export const BYTES_PER_CHARACTER = 2400;

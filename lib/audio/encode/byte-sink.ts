import { AppendOnlyStreamTarget } from "mediabunny";

/** Collects the bytes that a muxer writes until they are taken. */
export class ByteSink {
  private chunks: Uint8Array[] = [];
  readonly target = new AppendOnlyStreamTarget(
    new WritableStream<Uint8Array>({
      write: (chunk) => {
        // A muxer may reuse its buffer after the write.
        this.chunks.push(chunk.slice());
      },
    }),
  );

  /** Everything written since the last call, in one array. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.chunks);
    this.chunks = [];
    return bytes;
  }
}

import { AppendOnlyStreamTarget } from "mediabunny";

/** Collects what a muxer writes until it is read. */
export class ByteSink {
  private chunks: Uint8Array[] = [];
  readonly target = new AppendOnlyStreamTarget(
    new WritableStream<Uint8Array>({
      write: (chunk) => {
        // A muxer may use its buffer again after the write.
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

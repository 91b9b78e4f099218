/** Base64 of a stream, piece by piece: each piece is cut after a multiple of three bytes, so that no padding stands inside. */
export class Base64Pieces {
  private rest: Uint8Array = new Uint8Array(0);

  push(bytes: Uint8Array): string {
    const all = Buffer.concat([this.rest, bytes]);
    const whole = all.length - (all.length % 3);
    this.rest = Uint8Array.prototype.slice.call(all, whole);
    return all.toString("base64", 0, whole);
  }

  /** What was left over, padded. */
  finish(): string {
    return Buffer.from(this.rest).toString("base64");
  }
}

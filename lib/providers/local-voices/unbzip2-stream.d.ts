declare module "unbzip2-stream" {
  /** Decompresses bzip2. */
  export default function unbzip2Stream(): NodeJS.ReadWriteStream;
}

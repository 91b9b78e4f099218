/** The part of the package that we use; its own types need Express. */
declare module "compression" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** Compresses replies of compressible types above 1 KiB, as `Accept-Encoding` allows. */
  export default function compression(): (
    message: IncomingMessage,
    response: ServerResponse,
    next: () => void,
  ) => void;
}

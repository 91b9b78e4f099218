/**
 * Messages to all instances that share a Redis or a PostgreSQL, or to all processes of one server. A message may also
 * reach its sender; it is not stored or repeated.
 */
export interface Broadcast {
  /** Sends up to `MAX_MESSAGE_BYTES`; the message is lost while there is no connection. */
  send(message: string): void;
  listen(listener: (message: string) => void): void;
}

/** PostgreSQL's NOTIFY accepts 7,999 bytes. */
export const MAX_MESSAGE_BYTES = 7_900;

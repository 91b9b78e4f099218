/**
 * Messages to all instances that share a Redis or a PostgreSQL, or to all processes of one server. They may reach their
 * sender, too; nothing is kept or repeated.
 */
export interface Broadcast {
  /** A message of up to `MAX_MESSAGE_BYTES`; lost while the connection is. */
  send(message: string): void;
  listen(listener: (message: string) => void): void;
}

/** PostgreSQL takes 7,999 bytes. */
export const MAX_MESSAGE_BYTES = 7_900;

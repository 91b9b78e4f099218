/** Code of errors that stop the start; their messages may name paths and hosts, never a password. */
export const START_ERROR = "STORE_START";

/** The store cannot be opened; the message tells the operator what to do. */
export class StartError extends Error {
  readonly code = START_ERROR;
}

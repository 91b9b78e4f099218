/** The code of errors whose words stop the start; they may name paths and hosts, never a password. */
export const START_ERROR = "STORE_START";

/** The store cannot be opened; the words tell the operator what to do. */
export class StartError extends Error {
  readonly code = START_ERROR;
}

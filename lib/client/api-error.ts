/** One fault of one field, as the server names it. */
export interface FieldIssue {
  path: string;
  message: string;
}

/** A refusal of the console's own interface, or (`status` 0, code `network`) no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly FieldIssue[];
  /** Wrong second-factor codes still allowed. */
  readonly attemptsLeft: number | null;
  /** Seconds until another try can succeed. */
  readonly retryAfter: number | null;
  readonly requestId: string | null;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    issues?: readonly FieldIssue[];
    attemptsLeft?: number | null;
    retryAfter?: number | null;
    requestId?: string | null;
  }) {
    super(fields.message);
    this.name = "ApiError";
    this.status = fields.status;
    this.code = fields.code;
    this.issues = fields.issues ?? [];
    this.attemptsLeft = fields.attemptsLeft ?? null;
    this.retryAfter = fields.retryAfter ?? null;
    this.requestId = fields.requestId ?? null;
  }
}

/** True when the server gave this code. */
export function isApiError(error: unknown, code?: string): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

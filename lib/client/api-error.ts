/** A validation issue of one field, as sent by the server. */
export interface FieldIssue {
  path: string;
  message: string;
}

/** An error response of the console API, or no response at all (`status` 0, code `network`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly FieldIssue[];
  /** Remaining attempts to enter a 2FA code. */
  readonly attemptsLeft: number | null;
  /** Seconds until a retry can succeed. */
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

/** Whether an error is an ApiError, with this code if one is given. */
export function isApiError(error: unknown, code?: string): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

/** The statuses of a proxy's error page while the server restarts. */
export const PROXY_STATUSES: readonly number[] = [502, 503, 504];

/** Whether the server did not answer: no response, or the status of a proxy's error page. */
export function isUnreachable(error: unknown): boolean {
  return isApiError(error) && (error.status === 0 || PROXY_STATUSES.includes(error.status));
}

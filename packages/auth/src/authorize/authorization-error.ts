/** RFC 6749 §4.1.2.1. */
export type AuthorizationErrorCode = 'invalid_request' | 'unsupported_response_type' | 'access_denied';

/** An authorization request was refused. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  readonly code: AuthorizationErrorCode;
  /** For the page that tells the user. */
  readonly status = 400;
  /**
   * Where the application learns of it; null: the request did not prove that this is the application's
   * address, so the user is told instead, and redirected nowhere.
   */
  readonly redirectTo: string | null;

  /** @param description printable ASCII without `"` and `\`; nothing of the request */
  constructor(code: AuthorizationErrorCode, description: string, redirectTo: string | null = null) {
    super(description);
    this.code = code;
    this.redirectTo = redirectTo;
  }
}

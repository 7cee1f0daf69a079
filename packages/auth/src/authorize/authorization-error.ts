/** RFC 6749 §4.1.2.1. */
export type AuthorizationErrorCode = 'invalid_request' | 'unsupported_response_type' | 'access_denied';

/** An authorization request was refused. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  readonly code: AuthorizationErrorCode;
  /** For the error page shown to the user. */
  readonly status = 400;
  /**
   * Redirect URI to which the error is reported. Null if the request did not prove that the URI belongs to
   * the application. The error is then only shown to the user.
   */
  readonly redirectTo: string | null;

  /** @param description printable ASCII without `"` and `\`, and without content of the request */
  constructor(code: AuthorizationErrorCode, description: string, redirectTo: string | null = null) {
    super(description);
    this.code = code;
    this.redirectTo = redirectTo;
  }
}

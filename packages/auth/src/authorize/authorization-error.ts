/** RFC 6749 §4.1.2.1. */
export type AuthorizationErrorCode = 'invalid_request' | 'unsupported_response_type' | 'access_denied';

/** An authorization request was refused. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  readonly code: AuthorizationErrorCode;
  /** For the error page shown to the user. */
  readonly status = 400;
  /**
   * Where to report the error to the application; null if the request did not prove that this is the
   * application's address. Then the error is shown to the user without a redirect.
   */
  readonly redirectTo: string | null;

  /** @param description printable ASCII without `"` and `\`, and without content of the request */
  constructor(code: AuthorizationErrorCode, description: string, redirectTo: string | null = null) {
    super(description);
    this.code = code;
    this.redirectTo = redirectTo;
  }
}

/** RFC 6749 §5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type';

/** The body of a refused token request. */
export interface OAuthErrorBody {
  error: OAuthErrorCode;
  error_description: string;
}

/** A token request was refused. Answered with 401, `Cache-Control: no-store` and `toBody()`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status = 401;

  /** @param description printable ASCII without `"` and `\`, as the RFC demands; no secrets, nothing of the request */
  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  toBody(): OAuthErrorBody {
    return { error: this.code, error_description: this.message };
  }
}

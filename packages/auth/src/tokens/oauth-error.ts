/** RFC 6749 §5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type';

/** The response body of a refused token request. */
export interface OAuthErrorBody {
  error: OAuthErrorCode;
  error_description: string;
  /** The credential at fault; set only if the caller proved the credentials that are checked before it. */
  reason?: ClientFault;
}

/**
 * The kinds of client faults, in the order in which they are checked: the application, the account or its
 * credential, and the account's roles.
 */
export type ClientFault = 'application' | 'account' | 'role';

/** A token request was refused. The response is 401 with `Cache-Control: no-store` and `toBody()`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status = 401;
  readonly reason: ClientFault | undefined;

  /**
   * @param description printable ASCII without `"` and `\`, as the RFC requires; without secrets and content
   * of the request
   */
  constructor(code: OAuthErrorCode, description: string, reason?: ClientFault) {
    super(description);
    this.code = code;
    this.reason = reason;
  }

  toBody(): OAuthErrorBody {
    const { code: error, message: error_description, reason } = this;
    return { error, error_description, ...(reason === undefined ? {} : { reason }) };
  }
}

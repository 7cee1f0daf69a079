import type { Secret } from '@ledger-ops/base';

/** An authorization request that may be shown to the user. */
export interface AuthorizationRequest {
  readonly app: { readonly appUid: string; readonly appId: string; readonly name: string };
  /** One of the app's registered URIs, exactly as registered. */
  readonly redirectUri: string;
  /** Echoed in the response. */
  readonly state: string | undefined;
  /** `code_challenge`, S256. */
  readonly challenge: string;
}

/** The authorization endpoint, without its pages. */
export interface AuthorizationEndpoint {
  /**
   * Checks a request (RFC 6749 §4.1.1, RFC 7636, RFC 9700).
   *
   * @throws AuthorizationError; redirect only to its `redirectTo`
   */
  read(parameters: URLSearchParams): Promise<AuthorizationRequest>;
  /** Whether the user consented to this app before. */
  hasConsent(request: AuthorizationRequest, serviceId: string): Promise<boolean>;
  /** Token for the form in which the user answers. */
  csrfToken(request: AuthorizationRequest, session: Secret): string;
  /**
   * Stores the user's consent. Returns the redirect target, which contains a code.
   *
   * @throws Problem `login-failed` if the session has ended, `not-permitted` for a wrong CSRF token
   */
  approve(request: AuthorizationRequest, session: Secret, csrfToken: string | undefined): Promise<string>;
  /**
   * Returns the redirect target if the user consented before, or null if consent is required. A
   * redirect URI on loopback always requires consent; the console's own redirect URI never does.
   *
   * @throws Problem `login-failed` if the session has ended
   */
  resume(request: AuthorizationRequest, session: Secret): Promise<string | null>;
  /**
   * Records that the user refused. Returns the redirect target.
   * @throws Problem `not-permitted` for a wrong CSRF token
   */
  deny(request: AuthorizationRequest, session: Secret, csrfToken: string | undefined): string;
}

/** RFC 8414 §2. */
export interface AuthorizationServerMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  response_types_supported: string[];
  response_modes_supported: string[];
  grant_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  token_endpoint_auth_signing_alg_values_supported: string[];
  /** RFC 7009. */
  revocation_endpoint: string;
  revocation_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_signing_alg_values_supported: string[];
  code_challenge_methods_supported: string[];
  /** RFC 9207. */
  authorization_response_iss_parameter_supported: boolean;
}

import type { AuthorizationServerMetadata } from './types.ts';

export function tokenEndpoint(baseUrl: string): string {
  return `${baseUrl.replace(/\/$/, '')}/v1/auth/token`;
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** Returns the metadata document (RFC 8414 §2), limited to what the server supports. */
export function serverMetadata(issuer: string): AuthorizationServerMetadata {
  const base = issuer.replace(/\/$/, '');
  return {
    issuer,
    authorization_endpoint: `${base}/v1/auth/authorize`,
    token_endpoint: tokenEndpoint(issuer),
    jwks_uri: `${base}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: ['RS256'],
    revocation_endpoint: `${base}/v1/auth/revoke`,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Error codes of fabric-ca (its `lib/caerrors`). */
export const caErrorCodes = {
  unknown: 0,
  methodNotAllowed: 1,
  noAuthorization: 2,
  emptyBody: 4,
  badBody: 5,
  certificateNotFound: 8,
  certificateOfAnother: 9,
  identityNotFound: 10,
  missingRevokeArguments: 15,
  caNotFound: 19,
  authentication: 20,
  badCsr: 31,
  alreadyRevoked: 66,
  authorization: 71,
  tooManyPasswords: 73,
  alreadyRegistered: 74,
  commonName: 77,
  csrInput: 80,
  maxEnrollments: 82,
} as const;

/** An error response of the CA: `errors: [{code, message}]` with the HTTP status. */
export class CaError extends Error {
  override readonly name = 'CaError';
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: keyof typeof caErrorCodes, message: string) {
    super(message);
    this.status = status;
    this.code = caErrorCodes[code];
  }
}

/** The caller could not be authenticated. As in fabric-ca, the response does not say why. */
export function notAuthenticated(): CaError {
  return new CaError(401, 'authentication', 'Authentication failure');
}

/** The caller lacks a permission. As in fabric-ca, the response does not say why. */
export function notAuthorized(): CaError {
  return new CaError(403, 'authorization', 'Authorization failure');
}

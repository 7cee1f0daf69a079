/**
 * Every problem type of the service, in one place; the reference in docs/ is made from it.
 * A type is `urn:ledger-ops:problem:<name>` (RFC 9457).
 */
export const problemCatalogue = {
  // 400
  'invalid-request': { status: 400, title: 'The request is malformed or invalid' },
  'invalid-json': { status: 400, title: 'The body is not acceptable JSON' },
  'unsupported-glo-version': { status: 400, title: 'This GLO version is not supported' },
  'wrong-ledger': { status: 400, title: "A part of the operation names another ledger than the wallet's" },
  'unknown-dependency': { status: 400, title: 'A dependency does not exist or is not visible to the caller' },
  // 401
  'application-token-invalid': { status: 401, title: 'The ApplicationToken header is missing or not valid' },
  'access-token-invalid': { status: 401, title: 'The access token is missing, expired or not valid' },
  'login-failed': { status: 401, title: 'User name or password is wrong' },
  // 403
  'not-permitted': { status: 403, title: 'The caller lacks a permission' },
  'application-mismatch': { status: 403, title: 'The access token was issued for another application' },
  'wrong-wallet-password': { status: 403, title: 'The wallet password is wrong' },
  // 404
  'not-found': { status: 404, title: 'There is nothing here that the caller may see' },
  // 405
  'method-not-allowed': { status: 405, title: 'This path does not take this method' },
  // 408
  'request-timeout': { status: 408, title: 'The request was not complete in time' },
  // 409
  conflict: { status: 409, title: 'The request conflicts with what exists' },
  'already-exists': { status: 409, title: 'A record with this id exists already' },
  'in-use': { status: 409, title: 'The record is in use' },
  'nonce-conflict': { status: 409, title: 'The demanded nonce is not the next free one' },
  'answer-not-replayable': {
    status: 409,
    title: 'The answer to this Idempotency-Key held a secret that is shown once',
  },
  // 410
  'event-too-old': { status: 410, title: 'Events are not resumed from so long ago' },
  // 413, 415
  'payload-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has a media type that this operation does not take',
  },
  // 417
  'expectation-failed': { status: 417, title: 'The service does not do what Expect asks for' },
  // 422
  'batch-refused': { status: 422, title: 'No operation of the batch was accepted' },
  'wallets-mismatch': { status: 422, title: 'The wallets given are not those that the operation names' },
  'insufficient-funds': { status: 422, title: 'The wallet does not hold enough' },
  'unknown-method': { status: 422, title: 'The contract has no such method' },
  'unknown-event': { status: 422, title: 'The contract has no such event' },
  'unknown-contract': { status: 422, title: 'There is no contract at this address' },
  'unsupported-operation': { status: 422, title: 'This ledger cannot do this operation' },
  'wrong-sender': { status: 422, title: "meta names a sender that is not the wallet's address" },
  'wrong-chain': { status: 422, title: "meta names a chain that is not the ledger's" },
  'no-plugin': { status: 422, title: 'No active plugin serves this ledger' },
  'plugin-refused': { status: 422, title: 'The plugin cannot be used' },
  'idempotency-key-reused': { status: 422, title: 'This Idempotency-Key was used with another request' },
  reverted: { status: 422, title: 'The contract refused the operation' },
  'address-not-opened': {
    status: 422,
    title: 'The address is not public, and is not opened on this server',
  },
  'certificate-invalid': { status: 422, title: "The wallet's certificate cannot be used" },
  'endorsement-failed': { status: 422, title: 'The transaction was not endorsed' },
  // 429
  'too-many-requests': { status: 429, title: 'Too many requests' },
  // 431
  'head-too-large': { status: 431, title: 'The request line and headers are too large' },
  // 5xx
  internal: { status: 500, title: 'Something went wrong on our side' },
  'plugin-fault': { status: 502, title: 'The ledger plugin broke its contract' },
  'ledger-unavailable': { status: 503, title: 'The ledger cannot be reached' },
  unavailable: { status: 503, title: 'The service cannot answer now' },
  'ledger-timeout': { status: 504, title: 'The ledger did not answer in time' },
  // Ends of actions: they stand in an action's `problem`, with the status a direct answer would have had.
  'out-of-gas': { status: 422, title: 'The gas of the transaction does not suffice' },
  'dependency-failed': { status: 422, title: 'An action that this one depends on failed' },
  'deadline-passed': { status: 422, title: 'The deadline passed before the action could be signed' },
  'nonce-taken': { status: 409, title: "Another transaction took the action's nonce" },
  cancelled: { status: 409, title: 'The action was cancelled by who may use its wallet' },
  dropped: { status: 422, title: 'The ledger did not take the transaction, and its nonce was closed' },
  expired: { status: 422, title: 'The ledger executed no transaction of the action while it was valid' },
  invalidated: { status: 409, title: 'The ledger took the transaction as invalid' },
  'approvals-missing': { status: 409, title: 'Organizations have still to approve the deployment' },
  'chain-reset': { status: 409, title: 'The chain was reset' },
  'not-preparable': { status: 422, title: 'The transaction could not be prepared' },
} as const satisfies Record<string, { status: number; title: string }>;

/** Name of a problem type: the last part of its URN. */
export type ProblemName = keyof typeof problemCatalogue;

/**
 * All problem types of the service; the reference in docs/ is generated from this list. A type is
 * `urn:ledger-ops:problem:<name>` (RFC 9457).
 */
export const problemCatalogue = {
  // 400
  'invalid-request': { status: 400, title: 'The request is malformed or invalid' },
  'invalid-json': { status: 400, title: 'The body is not acceptable JSON' },
  'unsupported-glo-version': { status: 400, title: 'This GLO version is not supported' },
  'wrong-ledger': { status: 400, title: "A part of the operation is for a ledger other than the wallet's" },
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
  'not-found': { status: 404, title: 'The resource does not exist or is not visible to the caller' },
  // 405
  'method-not-allowed': { status: 405, title: 'This path does not support this method' },
  // 408
  'request-timeout': { status: 408, title: 'The request was not completed in time' },
  // 409
  conflict: { status: 409, title: 'The request conflicts with existing data' },
  'already-exists': { status: 409, title: 'A record with this id already exists' },
  'in-use': { status: 409, title: 'The record is in use' },
  'possibly-executed': { status: 409, title: 'Pending actions may already be executed' },
  'nonce-conflict': { status: 409, title: 'The required nonce is not the next free nonce' },
  'answer-not-replayable': {
    status: 409,
    title: 'The response to this Idempotency-Key cannot be repeated',
  },
  // 410
  'event-too-old': { status: 410, title: 'Events cannot be resumed from that far back' },
  // 413, 415
  'payload-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type of the body is not supported',
  },
  // 417
  'expectation-failed': { status: 417, title: 'The service does not support this Expect header' },
  // 422
  'batch-refused': { status: 422, title: 'No operation of the batch was accepted' },
  'wallets-mismatch': { status: 422, title: 'The operation names other wallets than the request contains' },
  'insufficient-funds': { status: 422, title: 'The wallet has insufficient funds' },
  'unknown-method': { status: 422, title: 'The contract has no such method' },
  'unknown-event': { status: 422, title: 'The contract has no such event' },
  'unknown-contract': { status: 422, title: 'There is no contract at this address' },
  'unsupported-operation': { status: 422, title: 'This ledger does not support this operation' },
  'wrong-sender': { status: 422, title: "meta names a sender that is not the wallet's address" },
  'wrong-chain': { status: 422, title: "meta names a chain that is not the ledger's" },
  'no-plugin': { status: 422, title: 'No active plugin serves this ledger' },
  'plugin-refused': { status: 422, title: 'The plugin cannot be used' },
  'storage-limit': { status: 422, title: 'The organization has reached a storage limit' },
  'idempotency-key-reused': {
    status: 422,
    title: 'This Idempotency-Key was already used with a different request',
  },
  reverted: { status: 422, title: 'The contract rejected the operation' },
  'address-not-opened': {
    status: 422,
    title: 'The address is private and not allowed by this server',
  },
  'certificate-invalid': { status: 422, title: "The wallet's certificate cannot be used" },
  'endorsement-failed': { status: 422, title: 'The transaction was not endorsed' },
  // 429
  'too-many-requests': { status: 429, title: 'Too many requests' },
  // 431
  'head-too-large': { status: 431, title: 'The request line and headers are too large' },
  // 5xx
  internal: { status: 500, title: 'Something went wrong on our side' },
  'plugin-fault': { status: 502, title: 'The ledger plugin violated the adapter interface' },
  'ledger-unavailable': { status: 503, title: 'The ledger cannot be reached' },
  'database-not-adopted': {
    status: 503,
    title: 'The database was copied, moved or restored, so the service is read-only',
  },
  unavailable: { status: 503, title: 'The service cannot respond at the moment' },
  'ledger-timeout': { status: 504, title: 'The ledger did not respond in time' },
  // Failures of actions: they appear in an action's `problem`, with the status that a direct response would
  // have had.
  'out-of-gas': { status: 422, title: 'The transaction ran out of gas' },
  'dependency-failed': { status: 422, title: 'An action that this action depends on failed' },
  'deadline-passed': { status: 422, title: 'The deadline passed before the action could be signed' },
  'nonce-taken': { status: 409, title: "Another transaction used the action's nonce" },
  'claim-taken': { status: 409, title: 'Another transaction spent the funds of the action' },
  cancelled: { status: 409, title: 'A user of the wallet canceled the action' },
  dropped: {
    status: 422,
    title: 'The ledger did not accept the transaction, and an empty transaction used its nonce',
  },
  expired: {
    status: 422,
    title: 'The ledger did not execute any transaction of the action before it expired',
  },
  invalidated: { status: 409, title: 'The ledger recorded the transaction as invalid' },
  'approvals-missing': { status: 409, title: 'Organizations still have to approve the deployment' },
  'chain-reset': { status: 409, title: 'The chain was reset' },
  'not-preparable': { status: 422, title: 'The transaction could not be prepared' },
} as const satisfies Record<string, { status: number; title: string }>;

/** Name of a problem type: the last part of its URN. */
export type ProblemName = keyof typeof problemCatalogue;

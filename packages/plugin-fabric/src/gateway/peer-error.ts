/** The error of one endorser or orderer, as the gateway passes it on. */
export interface ErrorDetail {
  address: string;
  mspId: string;
  message: string;
}

/** A call to a peer that failed; `errors.ts` says what it means. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  /** gRPC status code. */
  readonly code: number;
  readonly details: readonly ErrorDetail[];

  constructor(code: number, message: string, details: readonly ErrorDetail[] = [], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** gRPC status codes that are told apart here (https://grpc.io/docs/guides/status-codes/). */
export const grpcCode = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

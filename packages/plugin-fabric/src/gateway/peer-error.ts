/** The error of one endorser or orderer, as the gateway reports it. */
export interface ErrorDetail {
  address: string;
  mspId: string;
  message: string;
}

/**
 * Limits within which patterns are searched: characters of a peer's message, characters of an endorser's
 * message, and number of endorsers.
 */
const [longestMessage, longestDetail] = [4_096, 2_000];
export const mostDetails = 32;

/** A failed call to a peer; `errors.ts` classifies it. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  /** gRPC status code. */
  readonly code: number;
  readonly details: readonly ErrorDetail[];
  /** Why the connection failed, without addresses; undefined if unknown. */
  readonly connection: string | undefined;

  constructor(
    code: number,
    message: string,
    details: readonly ErrorDetail[] = [],
    cause?: unknown,
    connection?: string,
  ) {
    super(message.slice(0, longestMessage), cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details
      .slice(0, mostDetails)
      .map((one) => ({ ...one, message: one.message.slice(0, longestDetail) }));
    this.connection = connection;
  }
}

/** A failed call of the ledger's own identity (`observer_certificate`). If the identity was refused, no wallet is at fault. */
export class ObserverError extends PeerError {
  constructor({ code, message, details, cause, connection }: PeerError) {
    super(code, message, details, cause, connection);
  }
}

/** The gRPC status codes that this adapter distinguishes (https://grpc.io/docs/guides/status-codes/). */
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

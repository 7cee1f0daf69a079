/**
 * - `timeout`: no complete answer in time
 * - `not-opened`: the address is not public, and the deployer has not allowed it
 * - `unreachable`: the connection failed, broke, or does not speak HTTP
 * - `too-long`: the answer exceeds a limit
 * - `encoded`: the answer's content has an encoding, such as gzip, which was not requested
 * - `busy`: this server has no memory left for answers; the same request may succeed later
 * - `aborted`: the caller canceled the request
 */
export type ExchangeFailure =
  | 'timeout'
  | 'not-opened'
  | 'unreachable'
  | 'too-long'
  | 'encoded'
  | 'busy'
  | 'aborted';

/**
 * An outgoing request got no usable answer. The message is a predicate (`cannot be reached on port 8545
 * (ECONNREFUSED)`), so callers can put the name of the other side in front of it. It never quotes an address,
 * which may contain a credential.
 */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly failure: ExchangeFailure;

  constructor(failure: ExchangeFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

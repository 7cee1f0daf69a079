import { DevnetError } from '../../error.ts';

/**
 * Why a chaincode gave no response: `unreachable` (no service, or not the one expected, at the address), `timeout`
 * (it did not end within its time), `ended` (its process or its stream ended in mid-call), `failed` (it broke off
 * the call, or broke the protocol), `closed` (this side was closed).
 */
export type ChaincodeFailure = 'unreachable' | 'timeout' | 'ended' | 'failed' | 'closed';

/** A chaincode that gave no response. The message is what a peer says in this case. */
export class ChaincodeError extends DevnetError {
  readonly reason: ChaincodeFailure;

  constructor(reason: ChaincodeFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

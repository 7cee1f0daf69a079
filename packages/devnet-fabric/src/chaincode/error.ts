import { DevnetError } from '@ledger-ops/devnet';

/**
 * Why a chaincode gave no response: `unreachable` (no service, or not the one expected, at the address), `timeout`
 * (it did not end within its time), `ended` (its process or its stream ended in mid-call), `refused` (it answered
 * ERROR, as it could not even read the call), `failed` (it broke the protocol, or called itself), `closed` (this side
 * was closed).
 */
export type ChaincodeFailure = 'unreachable' | 'timeout' | 'ended' | 'refused' | 'failed' | 'closed';

/** A chaincode that gave no response to a transaction. The message is what a peer says in this case. */
export class ChaincodeError extends DevnetError {
  readonly reason: ChaincodeFailure;
  /** The message without the transaction: what a chaincode that called this one is told. */
  readonly detail: string;

  constructor(reason: ChaincodeFailure, txId: string, detail: string, options?: ErrorOptions) {
    super(
      // A chaincode's own ERROR is passed on as it is.
      reason === 'refused' ? detail : `failed to execute transaction ${txId}: ${detail}`,
      options,
    );
    this.reason = reason;
    this.detail = detail;
  }
}

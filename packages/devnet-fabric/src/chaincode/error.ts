import { DevnetError } from '@ledger-ops/devnet';

/**
 * Why a chaincode returned no response: `unreachable` (the address has no service, or an unexpected one),
 * `timeout` (it exceeded its time limit), `ended` (its process or stream ended during the call), `refused`
 * (it answered ERROR because it could not read the call), `failed` (it violated the protocol, or called
 * itself), `closed` (the connection was closed by this side), `invalid` (it was not called: it is not defined on this
 * peer, or not initialized).
 */
export type ChaincodeFailure =
  | 'unreachable'
  | 'timeout'
  | 'ended'
  | 'refused'
  | 'failed'
  | 'closed'
  | 'invalid';

/** Prefix that a peer adds to the reason (Fabric: core/chaincode/chaincode_support.go, `Invoke`). */
const prefixes: Readonly<Record<ChaincodeFailure, string>> = {
  unreachable: '',
  timeout: 'error sending: ',
  ended: 'error sending: ',
  refused: '',
  failed: 'error sending: ',
  closed: 'error sending: ',
  invalid: 'invalid invocation: ',
};

/**
 * Thrown if a chaincode returned no response to a transaction. The message is a peer's message for this case.
 */
export class ChaincodeError extends DevnetError {
  readonly reason: ChaincodeFailure;
  /** The message without the transaction id, as returned to a calling chaincode. */
  readonly detail: string;

  constructor(reason: ChaincodeFailure, txId: string, why: string, options?: ErrorOptions) {
    const detail = `${prefixes[reason]}${why}`;
    super(
      // A chaincode's own ERROR is passed on unchanged.
      reason === 'refused' ? detail : `failed to execute transaction ${txId}: ${detail}`,
      options,
    );
    this.reason = reason;
    this.detail = detail;
  }
}

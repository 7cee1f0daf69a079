import {
  type AdapterProblem,
  type Advance,
  type AttemptKind,
  adapterError,
  type Prepared,
  type PrepareRequest,
  type Round,
  type SignedTransaction,
} from '@ledger-ops/adapter';
import { type TransferGasMode, transferGas } from './blocks/transfer-gas.ts';
import { capOf, raiseFee } from './gas/fees.ts';
import { planFromJson } from './plan.ts';
import type { EthereumProperties } from './properties.ts';
import { requireAddress } from './transactions/address.ts';
import type { Fee } from './transactions/fee.ts';
import {
  assemble,
  digestOf,
  encodeUnsigned,
  readUnsigned,
  type TransactionFields,
} from './transactions/transaction.ts';

/**
 * Returns the attempts of one action, all with one nonce: the main transaction and, if replacements are
 * signed in advance, bumps up to the cap and a no-op above them.
 *
 * @param mode undefined if no node was queried yet; the no-op then gets as much gas as the transaction
 */
export function prepareOne(
  request: PrepareRequest,
  properties: EthereumProperties,
  mode: TransferGasMode | undefined,
): Prepared {
  const plan = planFromJson(request.plan, 'prepare');
  const { gas, fee } = plan;
  if (gas === undefined || fee === undefined)
    return failed('The plan has no gas or no fee yet. Estimate it first.');
  if (request.sequence === undefined) return failed('A sequence is required, because it becomes the nonce.');
  const { chainId, to, value, data, accessList } = plan;
  const main: TransactionFields = { chainId, nonce: request.sequence, to, value, data, gas, fee, accessList };
  const attempts = [attemptOf<AttemptKind>('main', main)];
  if (properties.presignedReplacements) {
    const cap = capOf(plan.given, properties.maxFeeCap);
    let highest: Fee = fee;
    for (let bumps = 0; bumps < properties.maxBumps; bumps += 1) {
      const next = raiseFee(highest, cap);
      if (next === undefined) break;
      highest = next;
      attempts.push(attemptOf('bump', { ...main, fee: highest }));
    }
    // If the fee is already at the ledger's cap, the no-op uses the same fee. It can then take the nonce only
    // after the mempools have dropped the other attempts. The user's own fee limit does not apply to the
    // no-op, because the no-op gives up the operation to unblock the wallet's later transactions.
    const above = raiseFee(highest, properties.maxFeeCap);
    const least = mode !== 'fixed' && gas > transferGas ? gas : transferGas;
    // With the main transaction's fee, an empty transfer to the sender itself could be the same transaction.
    const noopGas = above === undefined ? least + 1n : least;
    const address = requireAddress(request.wallet.address, 'prepare', '/wallet/address');
    attempts.push(attemptOf('noop', noopOf(main, address, noopGas, above ?? highest)));
  }
  return { status: 'prepared', attempts };
}

/** Returns an empty transfer to the sender itself, with the nonce of another transaction. */
export function noopOf(
  main: Pick<TransactionFields, 'chainId' | 'nonce'>,
  address: string,
  gas: bigint,
  fee: Fee,
): TransactionFields {
  const { chainId, nonce } = main;
  return { chainId, nonce, to: address, value: 0n, data: '0x', gas, fee, accessList: undefined };
}

/** Returns the first signing round of an attempt. */
export function attemptOf<Kind extends AttemptKind>(
  kind: Kind,
  fields: TransactionFields,
): { kind: Kind; round: Round<SignedTransaction> } {
  const state = encodeUnsigned(fields);
  return {
    kind,
    round: { done: false, requests: [{ curve: 'secp256k1', digest: digestOf(state) }], state },
  };
}

function failed(detail: string): Prepared {
  const problem: AdapterProblem = { code: 'invalid-argument', phase: 'prepare', detail };
  return { status: 'failed', problem };
}

/** @throws AdapterError `invalid-argument` if state or signature are malformed */
export function advanceOne({ state, signatures }: Advance): Round<SignedTransaction> {
  const [signature, ...more] = signatures;
  if (signature === undefined || more.length > 0) {
    throw adapterError('invalid-argument', `One signature is required, not ${signatures.length}.`, {
      phase: 'prepare',
      issues: [{ pointer: '/signatures', detail: 'must contain one signature' }],
    });
  }
  return { done: true, result: assemble(readUnsigned(state), signature) };
}

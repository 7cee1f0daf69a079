import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';
import { classify } from '../gateway/errors.ts';
import type { PeerError } from '../gateway/peer-error.ts';
import type { Definitions } from './definitions.ts';

/**
 * Of a chaincode whose peers are down, or behind, a gateway says what it says of one that is not there.
 * @returns the problem where the peer said so and the chaincode is there
 * @throws AdapterError `unknown-contract` where it is not
 */
export async function unreachedChaincode(
  cause: PeerError,
  { channel, chaincode }: { channel: string; chaincode: string },
  definitions: Definitions,
  phase: Phase,
): Promise<AdapterError | undefined> {
  if (classify(cause).kind !== 'unknown-chaincode') return undefined;
  await definitions.requireCommitted(channel, chaincode, phase);
  const detail = `None of the peers that run ${chaincode} on ${channel}, and that are asked, can be reached now, or they do not have the block yet that defines it.`;
  return adapterError('unavailable', detail, { phase, cause, data: { failure: 'endorsers-unavailable' } });
}

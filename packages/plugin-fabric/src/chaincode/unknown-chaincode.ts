import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';
import { classify } from '../gateway/errors.ts';
import type { PeerError } from '../gateway/peer-error.ts';
import type { Definitions } from './definitions.ts';

/**
 * Handles a gateway's "unknown chaincode". A gateway also returns it if the chaincode's peers are down or behind.
 * @returns the problem if the chaincode is committed
 * @throws AdapterError `unknown-contract` if it is not
 */
export async function unreachedChaincode(
  cause: PeerError,
  { channel, chaincode }: { channel: string; chaincode: string },
  definitions: Definitions,
  phase: Phase,
): Promise<AdapterError | undefined> {
  if (classify(cause).kind !== 'unknown-chaincode') return undefined;
  await definitions.requireCommitted(channel, chaincode, phase);
  const detail = `No peer that runs ${chaincode} on ${channel} can be reached, or these peers do not have the block with its definition yet.`;
  return adapterError('unavailable', detail, { phase, cause, data: { failure: 'endorsers-unavailable' } });
}

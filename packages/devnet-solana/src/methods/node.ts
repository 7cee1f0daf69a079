import type { Chain, View } from '../chain/chain.ts';
import type { Producer } from '../chain/producer.ts';
import { codes, RpcError } from '../rpc/error.ts';
import type { Params } from '../rpc/params.ts';

export interface Node {
  chain: Chain;
  producer: Producer;
  /** Maximum number of lamports per airdrop; 0 disables the faucet. */
  faucetLimit: bigint;
}

export type Method = (node: Node, params: Params) => unknown;

/** Agave release of litesvm's runtime. */
export const version = '4.2.0';

/** Returns an answer with the slot that it is based on. */
export const withContext = ({ head }: View, value: unknown) => ({
  context: { apiVersion: version, slot: head.slot },
  value,
});

/** Maximum number of slots by which a healthy validator may be behind. */
const healthyDistance = 128;

/** @throws RpcError if the processed view is too far behind */
export function assertHealthy(chain: Chain): void {
  const numSlotsBehind = chain.slotsBehind();
  if (numSlotsBehind > healthyDistance)
    throw new RpcError(codes.unhealthy, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind });
}

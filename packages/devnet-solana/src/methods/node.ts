import type { Chain, View } from '../chain/chain.ts';
import type { Producer } from '../chain/producer.ts';
import { codes, RpcError } from '../rpc/error.ts';
import type { Params } from '../rpc/params.ts';

export interface Node {
  chain: Chain;
  producer: Producer;
  /** Lamports that one airdrop may give; 0: there is no faucet. */
  faucetLimit: bigint;
}

export type Method = (node: Node, params: Params) => unknown;

/** The release of Agave that litesvm's runtime is of. */
export const version = '4.2.0';

/** An answer with the slot that it is of. */
export const withContext = ({ head }: View, value: unknown) => ({
  context: { apiVersion: version, slot: head.slot },
  value,
});

/** Slots by which a validator may be behind and call itself healthy. */
const healthyDistance = 128;

/** @throws RpcError when what is shown is too far behind */
export function assertHealthy(chain: Chain): void {
  const numSlotsBehind = chain.slotsBehind();
  if (numSlotsBehind > healthyDistance)
    throw new RpcError(codes.unhealthy, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind });
}

import type { Estimated, EstimateRequest } from '@ledger-ops/adapter';
import type { BlockFollower } from './block-follower.ts';
import { isNodesFault, problemOf } from './errors.ts';
import { createLru } from './lru.ts';
import { PeerFailure } from './peer-failure.ts';
import { planFromJson } from './plan.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** What an estimate draws on. */
export interface EstimateContext {
  system: Pick<SystemChaincode, 'height'>;
  channels: { followed(): readonly Pick<BlockFollower, 'channel' | 'next'>[] };
  now(): number;
}

export type Estimator = (requests: readonly EstimateRequest[]) => Promise<Estimated[]>;

const phase = 'estimate';
/** Milliseconds for which a block that is not there may just be late. */
const latePatience = 60_000;

/**
 * There is nothing to estimate on Fabric: operations are ready once they are checked. A host that asks all the same
 * learns whether the blocks are there that it names, on the peer that would endorse: another one, which told of them,
 * may be further. The chaincode is not asked: it may answer another identity than the wallet's differently, and its
 * endorsement, before anything is sent, says the same for certain.
 */
export function createEstimator({ system, channels, now }: EstimateContext): Estimator {
  /** Since when a channel's block is missing. */
  const missing = createLru<string, number>(10_000);

  /** Null when it is there; else how many blocks there are. */
  async function lacking(channel: string, block: number): Promise<number | null> {
    const height = await system.height(channel);
    return height > block || isOfAnother(channel, block) ? null : height;
  }

  /** Heights do not say of which channel they are. A peer that has not got a block for so long is not just late with it. */
  function isOfAnother(channel: string, block: number): boolean {
    if (channels.followed().some((one) => one.channel !== channel && one.next > block)) return true;
    const key = `${channel} ${block}`;
    const since = missing.get(key) ?? now();
    missing.set(key, since);
    return now() - since >= latePatience;
  }

  async function estimate({ plan: json, minHeight }: EstimateRequest): Promise<Estimated> {
    const { channel } = planFromJson(json, phase);
    try {
      const height = minHeight > 0 ? await lacking(channel, minHeight) : null;
      if (height !== null) {
        const detail = `Block ${minHeight} is not there yet: ${channel} has ${height} blocks.`;
        return { status: 'wait', problem: { code: 'unavailable', phase, detail } };
      }
      return { status: 'ready', plan: json, cost: 0n };
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      const problem = problemOf(error, phase);
      return { status: isNodesFault(error) ? 'wait' : 'failed', problem };
    }
  }

  return (requests) => Promise.all(requests.map(estimate));
}

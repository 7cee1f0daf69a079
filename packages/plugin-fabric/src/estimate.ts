import type { Estimated, EstimateRequest } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { BlockStream } from './blocks/block-stream.ts';
import { isPeersFault, problemOf } from './gateway/errors.ts';
import { PeerError } from './gateway/peer-error.ts';
import type { Qscc } from './gateway/qscc.ts';
import { planFromJson } from './plan.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that an estimate needs. */
export interface EstimateContext {
  qscc: Pick<Qscc, 'height'>;
  channels: { followed(): readonly Pick<BlockStream, 'channel' | 'next'>[] };
  timing: Pick<Timing, 'lateBlock'>;
  now(): number;
}

export type Estimator = (requests: readonly EstimateRequest[]) => Promise<Estimated[]>;

const phase = 'estimate';

/**
 * There is nothing to estimate on Fabric: operations are ready once they are checked. A host that asks all the same
 * learns whether the blocks are there that it names, on the peer that would endorse: another one, which told of them,
 * may be further. The chaincode is not asked: it may answer another identity than the wallet's differently, and its
 * endorsement, before anything is sent, says the same for certain.
 */
export function createEstimator({ qscc, channels, timing, now }: EstimateContext): Estimator {
  /** Since when a channel's block is missing. */
  const missing = new QuickLRU<string, number>({ maxSize: 10_000 });

  /** Null when it is there; else how many blocks there are. */
  async function lacking(channel: string, block: number): Promise<number | null> {
    const height = await qscc.height(channel);
    return height > block || isOfAnother(channel, block) ? null : height;
  }

  /** Heights do not say of which channel they are. A peer that has not got a block for so long is not just late with it. */
  function isOfAnother(channel: string, block: number): boolean {
    if (channels.followed().some((one) => one.channel !== channel && one.next > block)) return true;
    const key = `${channel} ${block}`;
    const since = missing.get(key) ?? now();
    missing.set(key, since);
    return now() - since >= timing.lateBlock;
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
      if (!(error instanceof PeerError)) throw error;
      const problem = problemOf(error, phase);
      return { status: isPeersFault(error) ? 'wait' : 'failed', problem };
    }
  }

  return (requests) => Promise.all(requests.map(estimate));
}

import type { Estimated, EstimateRequest } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { BlockStream } from './blocks/block-stream.ts';
import { isPeersFault, problemOf } from './gateway/errors.ts';
import { PeerError } from './gateway/peer-error.ts';
import type { Qscc } from './gateway/qscc.ts';
import { planFromJson } from './plan.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that `estimate` needs. */
export interface EstimateContext {
  qscc: Pick<Qscc, 'height'>;
  channels: { followed(): readonly Pick<BlockStream, 'channel' | 'next'>[] };
  timing: Pick<Timing, 'lateBlock'>;
  now(): number;
}

export type Estimator = (requests: readonly EstimateRequest[]) => Promise<Estimated[]>;

const phase = 'estimate';

/**
 * Fabric needs no estimate: operations are ready when they are checked. An estimate only checks whether the
 * endorsing peer already has the blocks that the request names, because the peer that reported them may be
 * ahead. It does not call the chaincode, which may respond differently to another identity. Only the
 * endorsement for the wallet itself, which precedes sending, is reliable.
 */
export function createEstimator({ qscc, channels, timing, now }: EstimateContext): Estimator {
  /** Time since which a channel's block has been missing. */
  const missing = new QuickLRU<string, number>({ maxSize: 10_000 });

  /**
   * Returns the channel's number of blocks if the block is missing; null if it exists or belongs to another channel.
   */
  async function lacking(channel: string, block: number): Promise<number | null> {
    const height = await qscc.height(channel);
    return height > block || isOfAnother(channel, block) ? null : height;
  }

  /**
   * Whether a block belongs to another channel. Its height does not show this, but a peer that lacks the block for
   * longer than `timing.lateBlock` is not just behind.
   */
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
        const detail = `Block ${minHeight} does not exist yet: ${channel} has ${height} blocks.`;
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

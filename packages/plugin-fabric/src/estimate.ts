import type { Estimated, EstimateRequest } from '@ledger-ops/adapter';
import type { Channels } from './channels.ts';
import { isNodesFault, problemOf } from './errors.ts';
import { PeerFailure } from './peer-failure.ts';
import { planFromJson } from './plan.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** What an estimate draws on. */
export interface EstimateContext {
  system: SystemChaincode;
  channels: Channels;
}

const phase = 'estimate';

/**
 * There is nothing to estimate on Fabric: operations are ready once they are checked. A host that asks all the same
 * learns whether the blocks are there that it names. The chaincode is not asked: it may answer another identity than
 * the wallet's differently, and its endorsement, before anything is sent, says the same for certain.
 */
export function estimateAll(
  requests: readonly EstimateRequest[],
  context: EstimateContext,
): Promise<Estimated[]> {
  return Promise.all(requests.map((request) => estimateOne(request, context)));
}

async function estimateOne(
  { plan: json, minHeight }: EstimateRequest,
  { system, channels }: EstimateContext,
): Promise<Estimated> {
  const plan = planFromJson(json, phase);
  try {
    if (minHeight > 0 && !channels.followed().some(({ next }) => next > minHeight)) {
      const height = await system.height(plan.channel);
      if (height <= minHeight) {
        const detail = `Block ${minHeight} is not there yet: ${plan.channel} has ${height} blocks.`;
        return { status: 'wait', problem: { code: 'unavailable', phase, detail } };
      }
    }
    return { status: 'ready', plan: json, cost: 0n };
  } catch (error) {
    if (!(error instanceof PeerFailure)) throw error;
    const problem = problemOf(error, phase);
    return { status: isNodesFault(error) ? 'wait' : 'failed', problem };
  }
}

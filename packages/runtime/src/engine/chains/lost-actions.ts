import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, LookupResult } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { Problem } from '@ledger-ops/base';
import { readJson } from '@ledger-ops/store';
import { type LostAction, readPlans } from '../../rows/actions/prepare-again.ts';
import { failure, type Settlement } from '../../rows/model.ts';
import { isExclusive, readKnownIds } from '../../rows/unknown-transactions.ts';
import type { TakenNonce } from '../tracking/outcomes.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';

/**
 * Decides what happens to an action whose nonce another transaction used at confirmation depth. The action's
 * own transactions can no longer be executed, so it is prepared again with another nonce. It fails instead if
 * its grant is not kept. It also fails if the external transaction has the same effect, because another
 * installation may have executed this action. An exclusive wallet is suspended first, so that a user decides.
 */
export async function sortLostActions(
  context: Pick<ChainContext, 'store' | 'chain' | 'unknown'>,
  tracker: Tracker,
  taken: readonly TakenNonce[],
): Promise<{ again: LostAction[]; ends: Settlement[] }> {
  if (taken.length === 0) return { again: [], ends: [] };
  await context.unknown.noteTaken(
    taken.map(({ action: { address }, sequence, by }) => ({ address, sequence, by })),
  );
  const { read } = context.store;
  const ours = await readKnownIds(
    read,
    context.chain,
    taken.flatMap(({ by }) => by ?? []),
  );
  const plans = await readPlans(
    read,
    taken.map(({ action }) => action.id),
  );
  const again: LostAction[] = [];
  const ends: Settlement[] = [];
  for (const one of taken) {
    const { action, sequence, by } = one;
    const plan = readJson<JsonObject>(plans.get(action.id) ?? null);
    const isDecidedByPerson = await isExclusive(read, context.chain, action.address);
    if (action.kept !== true || plan === null) ends.push(one.end);
    else if (isDecidedByPerson || (by !== undefined && ours.has(by))) again.push(toLost(one));
    // Another installation may have executed this action with the external transaction.
    else if (by === undefined) ends.push(one.end);
    else {
      const found = await tracker.open.session.lookup(by);
      const same = doesSame(plan, found);
      if (same === false) again.push(toLost(one));
      else ends.push(same === true ? failure(action.id, true, sameEffect(by, sequence)) : one.end);
    }
  }
  return { again, ends };
}

/**
 * Whether a transaction has the effect of a plan; undefined if the adapter does not report the transaction's
 * effect.
 */
export function doesSame(plan: JsonObject, found: Pick<LookupResult, 'effect'> | null): boolean | undefined {
  if (found?.effect === undefined) return undefined;
  return Object.entries(found.effect).every(([name, value]) => isDeepStrictEqual(plan[name], value));
}

function toLost({ action, sequence, by, end }: TakenNonce): LostAction {
  const taker = by === undefined ? 'Another transaction' : `The transaction ${plainWords(by, 200)}`;
  return {
    ...{ actionId: action.id, sequence, end },
    detail: `${taker} used the nonce ${sequence}, so nothing was executed. The action is signed again with another nonce.`,
  };
}

function sameEffect(by: string, sequence: number) {
  return new Problem(
    'nonce-taken',
    `The transaction ${plainWords(by, 200)} from outside this service used the nonce ${sequence} and had the same effect as this action. Check whether that transaction replaces this action before you send the action again.`,
  ).toDocument();
}

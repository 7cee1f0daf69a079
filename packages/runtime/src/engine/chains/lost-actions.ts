import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, LookupResult } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { Problem } from '@ledger-ops/base';
import { readJson } from '@ledger-ops/store';
import { type LostAction, readPlans } from '../../rows/actions/prepare-again.ts';
import { failure, possiblyExecuted, type Settlement } from '../../rows/model.ts';
import { isExclusive, readKnownIds } from '../../rows/unknown-transactions.ts';
import type { TakenAction } from '../tracking/outcomes.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';

/**
 * Decides what happens to actions whose nonce or claim another transaction used at confirmation depth, so that their
 * own transactions can no longer be executed. An action with a nonce is prepared again with another nonce if its grant
 * is kept; otherwise it fails. It also fails if the other transaction has the same effect, because another installation
 * may have executed this action. The wallets of an exclusive account are suspended first, so that a user decides. The
 * problem of a failed action says that it may have been executed, unless the other transaction is in the database or
 * has another effect.
 */
export async function sortLostActions(
  context: Pick<ChainContext, 'store' | 'chain' | 'unknown'>,
  tracker: Tracker,
  taken: readonly TakenAction[],
): Promise<{ again: LostAction[]; ends: Settlement[] }> {
  if (taken.length === 0) return { again: [], ends: [] };
  await context.unknown.noteTaken(
    taken.flatMap(({ action: { address }, sequence, by }) =>
      sequence === null ? [] : { address, sequence, by },
    ),
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
  const prepareOrFail = ({ action, sequence, by }: TakenAction, end: Settlement) => {
    if (sequence === null) ends.push(end);
    else again.push(toLost(action.id, sequence, by, end));
  };
  for (const one of taken) {
    const { action, sequence, by, end, unsure } = one;
    const isOurs = by !== undefined && ours.has(by);
    if (isOurs) prepareOrFail(one, end);
    else if (await isExclusive(read, context.chain, action.address)) prepareOrFail(one, unsure);
    else if (by === undefined || sequence === null) ends.push(unsure);
    else {
      const plan = readJson<JsonObject>(plans.get(action.id) ?? null);
      const isSame = plan === null ? undefined : doesSame(plan, await tracker.open.session.lookup(by));
      if (isSame === false) prepareOrFail(one, end);
      else ends.push(isSame === true ? failure(action.id, true, sameEffect(by, sequence)) : unsure);
    }
  }
  return { again, ends };
}

/**
 * Whether a transaction has the effect of a plan; undefined if the adapter does not report the transaction's effect.
 */
export function doesSame(plan: JsonObject, found: Pick<LookupResult, 'effect'> | null): boolean | undefined {
  if (found?.effect === undefined) return undefined;
  return Object.entries(found.effect).every(([name, value]) => isDeepStrictEqual(plan[name], value));
}

function toLost(actionId: string, sequence: number, by: string | undefined, end: Settlement): LostAction {
  const taker = by === undefined ? 'Another transaction' : `The transaction ${plainWords(by, 200)}`;
  return {
    ...{ actionId, sequence, end },
    detail: `${taker} used the nonce ${sequence}, so the action's transaction can no longer be executed. The action is signed again with another nonce.`,
  };
}

function sameEffect(by: string, sequence: number) {
  const detail = `The transaction ${plainWords(by, 200)} from outside this service used the nonce ${sequence} and had the same effect as this action. Check whether that transaction replaces this action before you send the action again.`;
  return new Problem('nonce-taken', detail, { extensions: possiblyExecuted }).toDocument();
}

import type { Advance, Round } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { WalletKey } from './types.ts';

/** Rounds of signing that an adapter may ask for before it must answer. */
const maxRounds = 8;

/**
 * Goes through an adapter's rounds: signs what it asks for until it has its result.
 *
 * @param before called once, before the first signature is given
 * @throws what the adapter throws; Problem `plugin-fault` when it comes to no end
 */
export async function signRounds<Result>(
  first: Round<Result>,
  key: WalletKey,
  advance: (signed: Advance) => Promise<Round<Result>>,
  before: () => Promise<void> = async () => {},
): Promise<Result> {
  let round = first;
  if (!round.done) await before();
  for (let rounds = 0; !round.done && rounds < maxRounds; rounds += 1) {
    const { requests, state } = round;
    round = await advance({ state, signatures: key.sign(requests) });
  }
  if (round.done) return round.result;
  throw new Problem('plugin-fault', `The ledger plugin did not come to an end within ${maxRounds} rounds.`);
}

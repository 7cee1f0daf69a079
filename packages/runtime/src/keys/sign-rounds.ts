import type { Advance, Round } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { Signer } from './signer.ts';

/** Maximum number of signing rounds after which an adapter must return its result. */
export const maxRounds = 8;

/** A transaction or account that an adapter creates in signing rounds, with the signer that answers its requests. */
export interface OpenRound<Result> {
  round: Round<Result>;
  readonly signer: Pick<Signer, 'sign'>;
}

/**
 * Runs the signing rounds of a batch. Each round signs all requests of the batch, and then passes all signatures to the
 * adapter in one call. Ends when each member of the batch has a result, or after `maxRounds`.
 */
export async function finishRounds<Result>(
  batch: readonly OpenRound<Result>[],
  advance: (signed: Advance[]) => Promise<readonly Round<Result>[]>,
): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const waiting = batch.flatMap((one) => (one.round.done ? [] : [{ one, round: one.round }]));
    if (waiting.length === 0) return;
    const signatures = await Promise.all(waiting.map(({ one, round }) => one.signer.sign(round.requests)));
    const next = await advance(
      waiting.map(({ round: { state } }, index) => ({ state, signatures: signatures[index] ?? [] })),
    );
    for (const [index, { one }] of waiting.entries()) one.round = next[index] ?? one.round;
  }
}

/**
 * Runs the signing rounds of a single result.
 *
 * @param before called once, before the first signature is made
 * @throws errors of the adapter; Problem `plugin-fault` after too many rounds
 */
export async function signRounds<Result>(
  first: Round<Result>,
  signer: Pick<Signer, 'sign'>,
  advance: (signed: Advance) => Promise<Round<Result>>,
  before: () => Promise<void> = async () => {},
): Promise<Result> {
  if (first.done) return first.result;
  await before();
  const open: OpenRound<Result> = { round: first, signer };
  await finishRounds([open], async ([signed]) => (signed === undefined ? [] : [await advance(signed)]));
  if (open.round.done) return open.round.result;
  throw new Problem('plugin-fault', `The ledger plugin did not finish signing within ${maxRounds} rounds.`);
}

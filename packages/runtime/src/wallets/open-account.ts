import type { Round, WalletIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { OpenLedger, WalletKey } from '../types.ts';

/** Rounds of signing that an adapter may ask for before a wallet must be made. */
const maxRounds = 8;

/**
 * Goes through an adapter's rounds: on some ledgers an account must be asked for with signatures.
 *
 * @param before called once, before the first signature is given
 * @throws what the adapter throws; Problem `plugin-fault` when it comes to no end
 */
export async function signRounds(
  { session }: Pick<OpenLedger, 'session'>,
  first: Round<WalletIdentity>,
  key: WalletKey,
  before: () => Promise<void> = async () => {},
): Promise<WalletIdentity> {
  let round = first;
  if (!round.done) await before();
  for (let rounds = 0; !round.done && rounds < maxRounds; rounds += 1) {
    const { requests, state } = round;
    round = await session.advanceWallet({ state, signatures: key.sign(requests) });
  }
  if (round.done) return round.result;
  throw new Problem('plugin-fault', `The ledger plugin made no wallet within ${maxRounds} rounds.`);
}

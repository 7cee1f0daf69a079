import type {
  AdapterDefinition,
  AttemptKind,
  LedgerSession,
  PrepareRequest,
  Round,
  SignedTransaction,
} from '@ledger-ops/adapter';
import { AdapterError } from '@ledger-ops/adapter';
import { sign } from '@ledger-ops/adapter/signing';

const maximumRounds = 16;

/** A signed transaction, and what it is for. */
export type SignedAttempt = SignedTransaction & { kind: AttemptKind };

/** Prepares and signs one action. @throws AdapterError */
export async function signAttempts(
  definition: AdapterDefinition,
  session: LedgerSession,
  key: Uint8Array,
  request: PrepareRequest,
): Promise<SignedAttempt[]> {
  const [prepared] = await session.prepare([request]);
  if (prepared === undefined) throw new TypeError('prepare() gave no answer.');
  if (prepared.status === 'failed') throw new AdapterError(prepared.problem);
  const attempts: SignedAttempt[] = [];
  for (const { kind, round } of prepared.attempts) attempts.push({ kind, ...(await finish(round)) });
  if (attempts.length === 0) throw new TypeError('prepare() gave no attempt.');
  return attempts;

  async function finish(first: Round<SignedTransaction>): Promise<SignedTransaction> {
    let round: Round<SignedTransaction> | undefined = first;
    for (let rounds = 0; rounds < maximumRounds && round !== undefined; rounds += 1) {
      if (round.done) return round.result;
      const { requests, state } = round;
      const signatures = requests.map((one) => sign(definition.keyType, key, one));
      [round] = await session.advance([{ state, signatures }]);
    }
    throw new TypeError(`No transaction after ${maximumRounds} rounds of signing.`);
  }
}

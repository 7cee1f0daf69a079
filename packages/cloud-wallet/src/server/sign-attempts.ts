import type {
  AdapterDefinition,
  AttemptKind,
  LedgerSession,
  PrepareRequest,
  Round,
  SignedTransaction,
  SigningRequest,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { sign } from '@ledger-ops/adapter/signing';

const maximumRounds = 16;

/** A signed transaction, and what it is for. */
export type SignedAttempt = SignedTransaction & { kind: AttemptKind };

/** A wallet that signs beside the sender's, with its key. */
export interface OtherWallet {
  walletId: string;
  identity: WalletIdentity;
  key: Uint8Array;
}

/** The keys of an action. */
export interface ActionKeys {
  key: Uint8Array;
  others: readonly OtherWallet[];
}

/** The other wallets of a request to an adapter, where there are any. */
export function othersOf(others: readonly OtherWallet[]): { others?: WalletIdentity[] } {
  return others.length === 0 ? {} : { others: others.map(({ identity }) => identity) };
}

/** Prepares and signs one action. @throws AdapterError; `adapter-fault` where a signature of anybody else is asked for */
export async function signAttempts(
  definition: AdapterDefinition,
  session: LedgerSession,
  keys: ActionKeys,
  request: PrepareRequest,
): Promise<SignedAttempt[]> {
  const [prepared] = await session.prepare([request]);
  if (prepared === undefined) throw new TypeError('prepare() gave no answer.');
  if (prepared.status === 'failed') throw new AdapterError(prepared.problem);
  const attempts: SignedAttempt[] = [];
  for (const { kind, round } of prepared.attempts) attempts.push({ kind, ...(await finish(round)) });
  if (attempts.length === 0) throw new TypeError('prepare() gave no attempt.');
  return attempts;

  function signOne({ signer, ...one }: SigningRequest): Uint8Array {
    const other = keys.others.find(({ identity }) => identity.address === signer);
    const key = signer === undefined ? keys.key : other?.key;
    if (key !== undefined) return sign(definition.keyType, key, one);
    const detail = 'The adapter asks for the signature of a wallet that the operation does not name.';
    throw adapterError('adapter-fault', detail, { phase: 'prepare' });
  }

  async function finish(first: Round<SignedTransaction>): Promise<SignedTransaction> {
    let round: Round<SignedTransaction> | undefined = first;
    for (let rounds = 0; rounds < maximumRounds && round !== undefined; rounds += 1) {
      if (round.done) return round.result;
      const { requests, state } = round;
      const signatures = requests.map(signOne);
      [round] = await session.advance([{ state, signatures }]);
    }
    throw new TypeError(`No transaction after ${maximumRounds} rounds of signing.`);
  }
}

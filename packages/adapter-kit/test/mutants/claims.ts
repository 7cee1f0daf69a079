import type { ClaimingTransaction, LedgerSession, Outcome, SignedTransaction } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

const utxo = true;

const deposits =
  'a transaction that spends a deposit lists the deposit and its parents from other parties, with their claims, in `needs`';

/** Faults of adapters that name claims, by the name of the check that must find them. */
export const mutantsOfClaims: Readonly<Record<string, Mutant>> = {
  'a new transaction holds no claim of a signed transaction, even in another session and if the signed transaction was never sent':
    {
      fault: 'a session knows only the claims of its own transactions',
      utxo,
      session: (session, { memory }) => ({
        prepare: (all) =>
          session.prepare(
            all.map(({ unsettled = [], ...one }) => ({
              ...one,
              unsettled: unsettled.filter(({ txId }) => memory.has(txId)),
            })),
          ),
        advance: async (all) => {
          const rounds = await session.advance(all);
          for (const round of rounds) if (round.done) memory.set(round.result.txId, true);
          return rounds;
        },
      }),
    },
  'an external transaction at the required depth supersedes a pending transaction with the same claim, and the outcome names the claim':
    {
      fault: 'the outcome names a claim that the transaction does not hold',
      utxo,
      session: outcomes((one) => (one.status === 'superseded' ? { ...one, claim: `${one.txId}:0` } : one)),
    },
  'a transaction is superseded if an external transaction takes a claim of a needed transaction, but not if the needed transaction is executed':
    {
      fault: 'transactions that pending transactions need are ignored',
      utxo,
      session: (session) => ({
        confirm: ({ pending, ...request }) =>
          session.confirm({
            ...request,
            pending: new Map([...pending].map(([txId, { needs: _, ...one }]) => [txId, one])),
          }),
      }),
    },
  [deposits]: {
    fault: 'a transaction needs only transactions that the host signed',
    utxo,
    session: signed(({ needs: _, ...one }) => one),
  },
  'a fee bump or empty transaction lists the deposits that it spends, and their parents, in `needs`': {
    fault: 'replacements need nothing',
    utxo,
    session: (session, { memory }) => ({
      replace: (all) => {
        memory.set('replaced', true);
        return session.replace?.(all) ?? Promise.resolve([]);
      },
      ...signed(({ needs, ...one }) => (memory.has('replaced') ? one : { ...one, ...(needs && { needs }) }))(
        session,
      ),
    }),
  },
  'fee bumps and the empty transaction share a claim with every transaction that they replace': {
    fault: 'the transactions of an action have no claim in common',
    utxo,
    session: signed((one) => ({ ...one, claims: (one.claims ?? []).map((claim) => `${claim}/${one.txId}`) })),
  },
  'a replaced transaction that is confirmed first succeeds and supersedes its replacements': {
    fault: 'a transaction supersedes itself',
    utxo,
    session: outcomes((one) => (one.status === 'superseded' ? { ...one, by: one.txId } : one)),
  },
  'a reorg that swaps a transaction and its replacement swaps their outcomes, even when reading from a stored cursor':
    {
      fault: 'outcomes from before the reorg are repeated',
      utxo,
      session: (session, { memory }) => ({
        async confirm(request) {
          const confirmed = await session.confirm(request);
          const repeated = confirmed.outcomes.map((one) => (memory.get(one.txId) ?? one) as Outcome);
          for (const one of repeated) memory.set(one.txId, one);
          return { ...confirmed, outcomes: repeated };
        },
      }),
    },
};

/** More faults that these checks find. */
export const furtherMutantsOfClaims: readonly (readonly [check: string, mutant: Mutant])[] = [
  [
    deposits,
    { fault: 'the parents of a deposit are missing', utxo, session: needing((all) => all.slice(0, 1)) },
  ],
  [
    deposits,
    {
      fault: 'the claims of a deposit are missing',
      utxo,
      session: needing((all) => all.map(({ txId }) => ({ txId, claims: [] }))),
    },
  ],
];

function needing(change: (needs: readonly ClaimingTransaction[]) => readonly ClaimingTransaction[]) {
  return signed(({ needs = [], ...one }) => ({ ...one, needs: change(needs) }));
}

function outcomes(change: (outcome: Outcome) => Outcome) {
  return (session: LedgerSession): Partial<LedgerSession> => ({
    async confirm(request) {
      const confirmed = await session.confirm(request);
      return { ...confirmed, outcomes: confirmed.outcomes.map(change) };
    },
  });
}

function signed(change: (transaction: SignedTransaction) => SignedTransaction) {
  return (session: LedgerSession): Partial<LedgerSession> => ({
    async advance(all) {
      const rounds = await session.advance(all);
      return rounds.map((round) => (round.done ? { ...round, result: change(round.result) } : round));
    },
  });
}

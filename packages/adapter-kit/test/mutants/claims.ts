import type { ClaimingTransaction, LedgerSession, Outcome, SignedTransaction } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

const utxo = true;

const deposits =
  'a transaction that spends a deposit needs it and the parents that another party created, with their claims';

/** Faults of adapters that name claims, by the name of the check that must find them. */
export const mutantsOfClaims: Readonly<Record<string, Mutant>> = {
  'a transaction claims nothing that a signed transaction claims, in any session, even if that was never sent':
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
  'another transaction supersedes one that holds its claim, at the required depth, and the claim is named': {
    fault: 'the outcome names a claim that the transaction does not hold',
    utxo,
    session: outcomes((one) => (one.status === 'superseded' ? { ...one, claim: `${one.txId}:0` } : one)),
  },
  'another transaction that takes a claim of a needed one supersedes those that need it; the needed one itself does not':
    {
      fault: 'transactions that pending ones need are ignored',
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
    fault: 'a transaction needs those only that the host signed',
    utxo,
    session: signed(({ needs: _, ...one }) => one),
  },
  'fee bumps and the empty transaction need the deposits that they spend, and their parents': {
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
  'fee bumps and the empty transaction hold a claim of everything that they replace': {
    fault: 'each transaction also names claims of its own only',
    utxo,
    session: signed((one) => ({ ...one, claims: (one.claims ?? []).map((claim) => `${claim}/${one.txId}`) })),
  },
  'if the replaced transaction is confirmed first, it succeeds and supersedes its replacements': {
    fault: 'a transaction supersedes itself',
    utxo,
    session: outcomes((one) => (one.status === 'superseded' ? { ...one, by: one.txId } : one)),
  },
  'a reorg that swaps a transaction and its replacement swaps their outcomes, from a stored cursor as well': {
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
    { fault: 'the parents of a deposit are not named', utxo, session: needing((all) => all.slice(0, 1)) },
  ],
  [
    deposits,
    {
      fault: 'the claims of a deposit are not named',
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

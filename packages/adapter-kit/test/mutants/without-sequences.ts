import { severalSteps } from '../variants.ts';
import { type Mutant, recipient } from './mutant.ts';

const variant = severalSteps;

/** Faults of ledgers without sequences, by the name of the check that must find them. */
export const mutantsWithoutSequences: Readonly<Record<string, Mutant>> = {
  'actions without sequences are prepared in parallel, each with a unique id, and executed in any order': {
    fault: 'all actions are prepared with the same action id',
    variant,
    session: (session) => ({
      prepare: (all) => session.prepare(all.map((one) => ({ ...one, actionId: 'the same' }))),
    }),
  },
  "an action with several steps can continue in any session from the last outcome's plan, and completes exactly once":
    {
      fault: 'the outcome returns the previous plan',
      variant,
      session: (session, { memory }) => ({
        async confirm(request) {
          const confirmed = await session.confirm(request);
          for (const outcome of confirmed.outcomes) {
            if (outcome.status !== 'continue') continue;
            const plan = memory.get('plan') ?? outcome.plan;
            memory.set('plan', plan);
            outcome.plan = plan as typeof outcome.plan;
          }
          return confirmed;
        },
      }),
    },
  'a transaction that the ledger records as invalid is replaced by a new transaction, or fails as invalidated':
    {
      fault: 'every transaction in a block is reported as succeeded',
      variant,
      session: (session) => ({
        async confirm(request) {
          const confirmed = await session.confirm(request);
          const outcomes = confirmed.outcomes.map(({ txId, height = 0, blockHash = '' }) => {
            return { txId, height, blockHash, status: 'succeeded' } as const;
          });
          return { ...confirmed, outcomes };
        },
      }),
    },
  'a rejected transaction has a reason and never has an outcome': {
    fault: 'a transaction reported as rejected is executed',
    variant,
    session: (session) => ({
      async submit(all) {
        const answers = await session.submit(all);
        await session.submit(all);
        return answers;
      },
    }),
  },
  'a secret is neither in the plan nor in the transaction, and nothing is prepared without it': {
    fault: 'the plan contains the secret',
    variant,
    session: (session) => ({
      async check(request) {
        const checked = await session.check(request);
        return { ...checked, plan: { ...checked.plan, ...checked.secret } };
      },
    }),
  },
  'transactionsOf() lists only transactions that the wallet signed above the given height': {
    fault: 'the newest transaction is hidden',
    variant,
    session: (session) => ({
      async transactionsOf(request) {
        const found = await session.transactionsOf?.(request);
        return { head: 0, completeTo: 0, ...found, txIds: found?.txIds.slice(1) ?? [] };
      },
    }),
  },
  'signersOf() returns the wallet that signed, and no wallet for an unknown id': {
    fault: 'signersOf() returns no signers',
    variant,
    session: () => ({ signersOf: async (txIds) => txIds.map(() => []) }),
  },
  'signersOf() does not return an account that only receives': {
    fault: 'signersOf() also returns the recipient',
    variant,
    session: (session) => ({
      async signersOf(txIds) {
        const found = await session.signersOf?.(txIds);
        return (found ?? []).map((signers) => [...(signers ?? []), recipient]);
      },
    }),
  },
};

import { severalSteps } from '../variants.ts';
import type { Mutant } from './mutant.ts';

const variant = severalSteps;

/** Faults of ledgers without sequences, by the name of the check that must find them. */
export const mutantsWithoutSequences: Readonly<Record<string, Mutant>> = {
  'actions without sequences are prepared side by side, each with an id of its own, and carried out in any order':
    {
      fault: 'every action is prepared as the same one',
      variant,
      session: (session) => ({
        prepare: (all) => session.prepare(all.map((one) => ({ ...one, actionId: 'the same' }))),
      }),
    },
  'an action of several steps is carried out by the plans of its outcomes, in any session, and ends once': {
    fault: 'the outcome gives the former plan again',
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
  'a transaction that came into its block as invalid is made again, or has failed as invalidated': {
    fault: 'what is in a block has succeeded',
    variant,
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const outcomes = confirmed.outcomes.map(({ txId, height, blockHash }) => {
          return { txId, height, blockHash, status: 'succeeded' } as const;
        });
        return { ...confirmed, outcomes };
      },
    }),
  },
  'a transaction that was rejected says why, and never has an outcome': {
    fault: 'what is said to be rejected was taken',
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
    fault: 'the plan shows the secret',
    variant,
    session: (session) => ({
      async check(request) {
        const checked = await session.check(request);
        return { ...checked, plan: { ...checked.plan, ...checked.secret } };
      },
    }),
  },
};

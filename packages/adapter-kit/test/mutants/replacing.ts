import type { LedgerSession, Replaced, ReplaceRequest } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

/** Faults of replacing what is late and of looking at it, by the name of the check that must find them. */
export const mutantsOfReplacing: Readonly<Record<string, Mutant>> = {
  'what can be replaced when it is needed is not signed beforehand': {
    fault: 'everything is signed beforehand',
    config: (config) => ({ ...config, properties: { ...config.properties, presigned_replacements: true } }),
  },
  'a transaction that offers what the ledger asks is enough, and one that is raised all the same takes its place':
    {
      fault: 'whatever is asked, it is raised',
      session: replacing((one) => ({ ...one, raise: 'always' })),
    },
  'a no-op made when it is needed takes the place of all that is signed, and then nothing of the action happens':
    {
      fault: 'a no-op that is a bump',
      session: (session) => ({
        async replace(all) {
          const answers = await session.replace?.(
            all.map((one) => ({ ...one, kind: 'bump', raise: 'always' })),
          );
          return (answers ?? []).map(
            (answer, index): Replaced =>
              answer.status === 'prepared'
                ? { ...answer, attempt: { ...answer.attempt, kind: all[index]?.kind ?? 'bump' } }
                : answer,
          );
        },
      }),
    },
  'a no-op is made for a sequence at which nothing is signed, and takes its place in turn when it is raised':
    {
      fault: 'what is not signed cannot be replaced',
      session: (session) => ({
        async replace(all) {
          if (all.some(({ signed }) => signed.length === 0)) {
            const problem = {
              code: 'unavailable',
              phase: 'prepare',
              detail: 'Nothing is signed there.',
            } as const;
            return all.map(() => ({ status: 'wait', problem }));
          }
          return (await session.replace?.(all)) ?? [];
        },
      }),
    },
  'where the ledger asks more than what is signed offers, a replacement is made that it takes': {
    fault: 'enough is said, whatever is asked',
    session: (session) => ({
      replace: async (all) => all.map(() => ({ status: 'enough' })),
      inspect: session.inspect ?? (async () => []),
    }),
  },
  "a replacement above the caller's cap waits, and spoils no other": {
    fault: 'the cap is not looked at',
    session: replacing(({ cap: _, ...one }) => one),
  },
  'what a node has is shown, in its pool and in a block, and what none has is absent': {
    fault: 'everything is shown',
    session: () => ({ inspect: async (all) => all.map(() => ({ status: 'shown' })) }),
  },
  'what every node forgot is absent, until it is sent again': {
    fault: 'what was shown once is shown for ever',
    session: (session, { memory }) => ({
      async submit(all) {
        for (const { txId } of all) memory.set(txId, true);
        return session.submit(all);
      },
      inspect: async (all) =>
        all.map(({ signed }) => ({
          status: signed.some(({ txId }) => memory.has(txId)) ? 'shown' : 'absent',
        })),
    }),
  },
};

function replacing(change: (request: ReplaceRequest) => ReplaceRequest) {
  return (session: LedgerSession): Partial<LedgerSession> => ({
    replace: async (all) => (await session.replace?.(all.map(change))) ?? [],
  });
}

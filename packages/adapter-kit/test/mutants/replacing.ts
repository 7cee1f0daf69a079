import type { LedgerSession, Replaced, ReplaceRequest } from '@ledger-ops/adapter';
import type { Mutant } from './mutant.ts';

/** Faults of `replace` and `inspect`, by the name of the check that must find them. */
export const mutantsOfReplacing: Readonly<Record<string, Mutant>> = {
  'prepare() returns no replacements if transactions can be replaced on demand': {
    fault: 'replacements are signed in advance',
    config: (config) => ({ ...config, properties: { ...config.properties, presigned_replacements: true } }),
  },
  'a fee that is high enough needs no replacement, but a forced fee bump still replaces the transaction': {
    fault: 'every replacement raises the fee',
    session: replacing((one) => ({ ...one, raise: 'always' })),
  },
  'an empty transaction created on demand replaces all signed transactions of an action, and the action then has no effect':
    {
      fault: 'the no-op executes the operation',
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
  'an empty transaction can fill an unused sequence, and another with a higher fee replaces it': {
    fault: 'an unused sequence is refused',
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
  'if the ledger requires more than the signed fee, replace() creates a transaction that the ledger accepts':
    {
      fault: 'every fee is reported as sufficient',
      session: (session) => ({
        replace: async (all) => all.map(() => ({ status: 'enough' })),
        inspect: session.inspect ?? (async () => []),
      }),
    },
  "a replacement that would exceed the caller's cap waits and does not affect other replacements": {
    fault: 'the cap is ignored',
    session: replacing(({ cap: _, ...one }) => one),
  },
  'inspect() shows a transaction in a mempool or a block, and reports it as absent if no node has it': {
    fault: 'every transaction is reported as shown',
    session: () => ({ inspect: async (all) => all.map(() => ({ status: 'shown' })) }),
  },
  'a transaction that every node forgot is absent until it is sent again': {
    fault: 'a transaction that was shown once is always reported as shown',
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

import type { LedgerSession, Outcome, PendingTransaction, Prepared } from '@ledger-ops/adapter';
import { expiringTransactions, severalSteps } from '../variants.ts';
import type { Mutant } from './mutant.ts';

const variant = expiringTransactions;

/** Outcomes of pending transactions, changed. */
function changing(
  change: (outcome: Outcome, pending: PendingTransaction | undefined) => Outcome | undefined,
): (session: LedgerSession) => Partial<LedgerSession> {
  return (session) => ({
    async confirm(request) {
      const confirmed = await session.confirm(request);
      const outcomes = confirmed.outcomes.flatMap(
        (outcome) => change(outcome, request.pending.get(outcome.txId)) ?? [],
      );
      return { ...confirmed, outcomes };
    },
  });
}

/** Faults of ledgers whose transactions expire, by the name of the check that must find them. */
export const mutantsOfExpiring: Readonly<Record<string, Mutant>> = {
  'a transaction expires when the chain has passed its last height as deep as the ledger asks, and not before':
    {
      fault: 'it expires as soon as the newest block has passed its last height',
      variant,
      config: (config) => ({ ...config, properties: { ...config.properties, confirmations: 1 } }),
    },
  'a transaction that expired is never executed, however often its bytes are sent': {
    fault: 'the ledger knows nothing of the height after which the adapter says that a transaction expired',
    variant: severalSteps,
    harness({ samples, ...harness }) {
      const { transfer } = samples;
      return { ...harness, samples: transfer === undefined ? samples : { ...samples, expiring: transfer } };
    },
    session: (session, { ledger }) => ({
      async advance(all) {
        const rounds = await session.advance(all);
        return rounds.map((round) =>
          round.done ? { ...round, result: { ...round.result, validUntil: ledger.head.height + 5 } } : round,
        );
      },
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const { height, hash: blockHash } = confirmed.cursor;
        const expired = [...request.pending].flatMap(([txId, { validUntil = height }]): Outcome[] =>
          validUntil < height && ledger.transaction(txId) === undefined
            ? [{ txId, status: 'expired', height, blockHash }]
            : [],
        );
        return { ...confirmed, outcomes: [...confirmed.outcomes, ...expired] };
      },
    }),
  },
  'a transaction that is executed at its last height has succeeded, and does not expire': {
    fault: 'what is at its last height counts as expired',
    variant,
    session: changing((outcome, pending) => {
      const { txId, height, blockHash } = outcome;
      return height === pending?.validUntil
        ? { txId, blockHash, status: 'expired', height: height + 1 }
        : outcome;
    }),
  },
  'a session that knows nothing of them says which transactions expired and which succeeded': {
    fault: 'a session says of what it prepared itself that it expired, and of nothing else',
    variant,
    session(session, { memory }) {
      return {
        async advance(all) {
          const rounds = await session.advance(all);
          for (const round of rounds) if (round.done) memory.set(round.result.txId, true);
          return rounds;
        },
        ...changing((outcome) =>
          outcome.status === 'expired' && !memory.has(outcome.txId) ? undefined : outcome,
        )(session),
      };
    },
  },
  'what expired is prepared again by the same plan under the same id, as another transaction, and is executed':
    {
      fault: 'what was prepared of an action is given again',
      variant,
      session: (session) => {
        const former = new Map<string, Prepared>();
        return {
          async prepare(all) {
            const prepared = await session.prepare(all);
            return prepared.map((one, index) => {
              const id = all[index]?.actionId ?? '';
              const first = former.get(id) ?? one;
              former.set(id, first);
              return first;
            });
          },
        };
      },
    },
};

import type {
  Estimated,
  EstimateRequest,
  LedgerSession,
  Outcome,
  PendingTransaction,
  Prepared,
} from '@ledger-ops/adapter';
import { expiringTransactions, severalSteps } from '../variants.ts';
import type { Mutant } from './mutant.ts';

const variant = expiringTransactions;

/** Changes the outcomes of pending transactions. */
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
  'a transaction is reported as expired only once its last valid height has the required depth': {
    fault: 'a transaction expires before its last height has the required depth',
    variant,
    config: (config) => ({ ...config, properties: { ...config.properties, confirmations: 1 } }),
  },
  'an expired transaction is never executed, even if it is sent again and again': {
    fault: 'the ledger does not enforce the last valid height',
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
  'a transaction that is executed at its last valid height succeeds and does not expire': {
    fault: 'a transaction executed at its last height is reported as expired',
    variant,
    session: changing((outcome, pending) => {
      const { txId, height = 0, blockHash = '' } = outcome;
      return height === pending?.validUntil
        ? { txId, blockHash, status: 'expired', height: height + 1 }
        : outcome;
    }),
  },
  'a new session reports which transactions expired and which succeeded': {
    fault: 'a session reports only its own transactions as expired',
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
  'after a transaction expires, preparing its plan again creates a different transaction, which is executed':
    {
      fault: 'prepare() returns the expired transaction again',
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

const higherFee =
  'after a transaction expires, preparing the action again with a raised fee creates a transaction that pays more and is executed';
const caps = "a raised fee exceeds neither the request's cap nor the ledger's cap";

/** Changes requests and answers of estimates. */
function estimating(
  asked: (request: EstimateRequest) => EstimateRequest,
  answered: (estimated: Estimated, request: EstimateRequest) => Estimated = (estimated) => estimated,
): (session: LedgerSession) => Partial<LedgerSession> {
  return (session) => ({
    async estimate(requests) {
      const answers = await session.estimate(requests.map(asked));
      return answers.map((estimated, index) => {
        const request = requests[index];
        return request === undefined ? estimated : answered(estimated, request);
      });
    },
  });
}

const unraised = ({ raise: _, ...request }: EstimateRequest): EstimateRequest => request;

/** Faults of adapters that raise the fee after an expiry. */
export const mutantsOfRaising: Readonly<Record<string, Mutant>> = {
  [higherFee]: { fault: 'an estimate ignores the raise', variant, session: estimating(unraised) },
  [caps]: {
    fault: 'a raise ignores the cap of the request',
    variant,
    session: estimating(({ raise, ...request }) =>
      raise === undefined ? request : { ...request, raise: { reason: raise.reason } },
    ),
  },
};

/** More faults for the same checks. */
export const furtherMutantsOfRaising: readonly (readonly [check: string, mutant: Mutant])[] = [
  [
    higherFee,
    {
      fault: 'a fee is raised only after an expiry, not when a user requests it',
      variant,
      session: estimating((request) => (request.raise?.reason === 'hurried' ? unraised(request) : request)),
    },
  ],
  [
    higherFee,
    {
      fault: 'an estimate returns the raised cost, but a plan with the previous fee',
      variant,
      session: estimating(
        (request) => request,
        (estimated, { plan, raise }) =>
          estimated.status === 'ready' && raise !== undefined ? { ...estimated, plan } : estimated,
      ),
    },
  ],
  [
    higherFee,
    {
      fault: 'an estimate raises the fee, but returns the previous cost',
      variant,
      session: estimating(
        (request) => request,
        (estimated, { raise }) =>
          estimated.status === 'ready' && raise !== undefined ? { ...estimated, cost: 0n } : estimated,
      ),
    },
  ],
  [
    caps,
    {
      fault: 'each raise doubles the fee, without a cap of the ledger',
      variant,
      session: estimating(unraised, (estimated, { raise }) => {
        if (estimated.status !== 'ready' || raise === undefined || raise.cap !== undefined) return estimated;
        const { plan } = estimated;
        return { ...estimated, plan: { ...plan, gasPrice: `${BigInt(String(plan.gasPrice)) * 2n}` } };
      }),
    },
  ],
];

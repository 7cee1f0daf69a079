import type { Prepared, SigningRequest } from '@ledger-ops/adapter';
import { severalSteps } from '../variants.ts';
import { type Mutant, recipient } from './mutant.ts';

const variant = severalSteps;

function asking(answers: Prepared[], change: (request: SigningRequest) => SigningRequest): Prepared[] {
  for (const answer of answers) {
    for (const { round } of answer.status === 'prepared' ? answer.attempts : []) {
      if (!round.done) round.requests = round.requests.map(change);
    }
  }
  return answers;
}

/** Faults of adapters for operations with several signers, by the name of the check that must find them. */
export const mutantsOfCoSigning: Readonly<Record<string, Mutant>> = {
  'a wallet that the operation does not name does not sign': {
    fault: 'the signature of an unnamed wallet is requested',
    session: (session) => ({
      prepare: async (all) =>
        asking(await session.prepare(all), (request) => ({ ...request, signer: recipient })),
    }),
  },
  'an operation that exactly its named wallets sign succeeds': {
    fault: 'the sender is asked to sign for the other wallets',
    variant,
    session: (session) => ({
      prepare: async (all) => asking(await session.prepare(all), ({ signer: _, ...request }) => request),
    }),
  },
  'an operation that names a wallet is rejected if the request omits the wallet': {
    fault: 'named wallets need not sign',
    variant,
    session: (session) => ({
      check: (request) =>
        session
          .check(request)
          .catch(() => ({ plan: {}, recipients: [], readiness: 'ready' as const, cost: 0n })),
    }),
  },
  'check() reports the maximum cost of a co-signer that pays the fee, and only this co-signer pays the fee': {
    fault: "check() does not report the payer's costs",
    variant,
    session: (session) => ({
      async check(request) {
        const { costs: _, ...checked } = await session.check(request);
        return checked;
      },
    }),
  },
};

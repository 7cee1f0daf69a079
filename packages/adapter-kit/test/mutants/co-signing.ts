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

/** Faults of adapters whose operations several wallets sign, by the name of the check that must find them. */
export const mutantsOfCoSigning: Readonly<Record<string, Mutant>> = {
  'whatever an operation does not name is not asked for its signature': {
    fault: 'the signature of another wallet is asked for',
    session: (session) => ({
      prepare: async (all) =>
        asking(await session.prepare(all), (request) => ({ ...request, signer: recipient })),
    }),
  },
  'an operation is signed by each wallet that it names, by no other, and succeeds': {
    fault: 'the own wallet is asked for the signatures of the others',
    variant,
    session: (session) => ({
      prepare: async (all) => asking(await session.prepare(all), ({ signer: _, ...request }) => request),
    }),
  },
  'an operation that names a wallet is refused without it': {
    fault: 'whoever is named need not sign',
    variant,
    session: (session) => ({
      check: (request) =>
        session
          .check(request)
          .catch(() => ({ plan: {}, recipients: [], readiness: 'ready' as const, cost: 0n })),
    }),
  },
  'what another wallet pays is told of it, is not more than that, and the own does not pay it': {
    fault: 'nobody is told what the payer pays',
    variant,
    session: (session) => ({
      async check(request) {
        const { costs: _, ...checked } = await session.check(request);
        return checked;
      },
    }),
  },
};

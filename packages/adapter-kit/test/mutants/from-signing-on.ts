import type { LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import { type Mutant, recipient } from './mutant.ts';

const shallow = (config: LedgerConfig): LedgerConfig => ({
  ...config,
  properties: { ...config.properties, confirmations: 1 },
});

/** Faults of estimates, signing, submitting, confirming and reading, by the name of the check that must find them. */
export const mutantsFromSigningOn: Readonly<Record<string, Mutant>> = {
  'the estimate of a valid operation is ready, with a plan that is JSON and a cost': {
    fault: 'an estimate below nothing',
    session: () => ({
      estimate: async (all) => all.map(({ plan }) => ({ status: 'ready', plan, cost: -1n })),
    }),
  },
  'the estimate of a call that the contract refuses fails as reverted, and spoils no other': {
    fault: 'one refusal fails the batch',
    session: (session) => ({
      async estimate(all) {
        const answers = await session.estimate(all);
        const failed = answers.find((answer) => answer.status === 'failed');
        return failed === undefined ? answers : answers.map(() => failed);
      },
    }),
  },
  'an estimate that needs a block which the node does not have waits': {
    fault: 'the height of dependencies is ignored',
    session: (session) => ({
      estimate: (all) => session.estimate(all.map((one) => ({ ...one, minHeight: 0 }))),
    }),
  },
  'the same request and the same signatures give the same bytes and ids, in every session': {
    fault: 'a fee drawn anew with each preparation',
    session: (session, { count }) => ({
      prepare: (all) =>
        session.prepare(all.map((one) => ({ ...one, plan: { ...one.plan, gasPrice: `${20 + count()}` } }))),
    }),
  },
  'rounds that began in one session go on in another, and a round taken twice gives the same id': {
    fault: 'the state of a round is kept in the session',
    session: (session, { memory }) => ({
      async prepare(all) {
        const prepared = await session.prepare(all);
        for (const one of prepared) {
          for (const { round } of one.status === 'prepared' ? one.attempts : []) {
            if (round.done) continue;
            memory.set(`${memory.size}`, round.state);
            round.state = `${memory.size - 1}`;
          }
        }
        return prepared;
      },
      advance: (all) => session.advance(all.map((one) => ({ ...one, state: memory.get(String(one.state)) }))),
    }),
  },
  'attempts are one main, then bumps, then one no-op, each with an id of its own': {
    fault: 'the no-op comes first',
    session: reordered((attempts) => attempts.toReversed()),
  },
  'a ledger without replacement gets the main attempt only': {
    fault: 'replacements that were not declared',
    fewPowers: true,
    session: reordered((attempts) => attempts.flatMap((one) => [one, { ...one, kind: 'bump' }])),
  },
  'a no-op can take the place of the main attempt, and then nothing of the action happens': {
    fault: 'a no-op that is a bump',
    session: reordered((attempts) =>
      attempts.slice(0, -1).map((one, index, all) => ({
        ...one,
        kind: index === all.length - 1 ? 'noop' : one.kind,
      })),
    ),
  },
  'each attempt can take the place of the one before it, and only the last is executed': {
    fault: 'bumps that pay less each time',
    session: reordered(([main, ...rest]) => {
      const noop = rest.pop();
      return [main, ...rest.toReversed(), noop].filter((one) => one !== undefined);
    }),
  },
  'a transaction takes no more from the wallet than its cost says': {
    fault: 'a cost without the fee',
    session: (session) => ({
      async advance(all) {
        const rounds = await session.advance(all);
        return rounds.map((one) => (one.done ? { ...one, result: { ...one.result, cost: 5n } } : one));
      },
    }),
  },
  'signatures of another key, or of the wrong length, never lead to an execution': {
    fault: 'an adapter that has the key and signs by itself',
    session: (session, { sign, memory }) => ({
      async prepare(all) {
        const prepared = await session.prepare(all);
        for (const one of prepared) {
          for (const { round } of one.status === 'prepared' ? one.attempts : []) {
            if (!round.done) memory.set(JSON.stringify(round.state), round.requests.map(sign));
          }
        }
        return prepared;
      },
      advance: (all) =>
        session.advance(
          all.map((one) => {
            const own = memory.get(JSON.stringify(one.state));
            return Array.isArray(own) ? { ...one, signatures: own } : one;
          }),
        ),
    }),
  },
  'bytes submitted twice are accepted or known, and executed once': {
    fault: 'what is submitted again is executed again',
    session: (session, { ledger }) => ({
      async submit(all) {
        const answers = await session.submit(all);
        if (answers.some((answer) => answer.status === 'known')) ledger.fund(recipient, 5n);
        return answers;
      },
    }),
  },
  'the ledger itself counts one execution of bytes that were submitted twice': {
    fault: 'a ledger that counts two',
    harness: (harness) => ({ ...harness, hooks: { ...harness.hooks, executions: async () => 2 } }),
  },
  'bytes alone are enough: another session submits and confirms what an ended one signed': {
    fault: 'only what this session signed is submitted',
    session: (session, { memory }) => ({
      async advance(all) {
        const rounds = await session.advance(all);
        for (const one of rounds) if (one.done) memory.set(one.result.txId, true);
        return rounds;
      },
      async submit(all) {
        const answers = await session.submit(all.filter(({ txId }) => memory.has(txId)));
        return all.map(
          ({ txId }) => answers.find((answer) => answer.txId === txId) ?? { txId, status: 'refused' },
        );
      },
    }),
  },
  'each submission has one answer, in their order, and bytes that are none spoil no other': {
    fault: 'answers in another order',
    session: (session) => ({ submit: async (all) => (await session.submit(all)).toReversed() }),
  },
  'several actions of one wallet, signed ahead and submitted together, are all executed': {
    fault: 'only the first of a batch is sent',
    session: (session) => ({
      async submit(all) {
        await session.submit(all.slice(0, 1));
        return all.map(({ txId }) => ({ txId, status: 'accepted' }));
      },
    }),
  },
  'sequences count what is in the latest block': {
    fault: 'sequences of the first block',
    session: () => ({ sequences: async (all) => all.map(() => 0n) }),
  },
  'a transaction that is final has its outcome, under the id that was known before it was sent': {
    fault: 'the id changes on the way',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        return {
          ...confirmed,
          outcomes: confirmed.outcomes.map((one) => ({ ...one, txId: `${one.txId}00` })),
        };
      },
    }),
  },
  'a deployment says where the contract is, in its normal form, and each has its own': {
    fault: 'the address of the contract is not told',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const outcomes = confirmed.outcomes.map((one) => {
          if (one.status !== 'succeeded') return one;
          const { contractAddress: _, ...rest } = one;
          return rest;
        });
        return { ...confirmed, outcomes };
      },
    }),
  },
  'nothing has an outcome before it is as deep as the ledger asks': {
    fault: 'success is reported with the first block',
    config: shallow,
  },
  'a transaction that fails in its block is failed, with the reason': {
    fault: 'mined is taken for succeeded',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const outcomes = confirmed.outcomes.map((one) =>
          one.status === 'failed'
            ? { txId: one.txId, height: one.height, blockHash: one.blockHash, status: 'succeeded' as const }
            : one,
        );
        return { ...confirmed, outcomes };
      },
    }),
  },
  'a stored cursor goes on in another session, and none finds what became final long ago': {
    fault: 'without a cursor, reading begins at the head',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const from = request.cursor?.height ?? confirmed.cursor.height - 1;
        return { ...confirmed, outcomes: confirmed.outcomes.filter((one) => one.height > from) };
      },
    }),
  },
  'confirm() reads the pending transactions and neither changes nor adds to them': {
    fault: 'what has its outcome is taken out of the map',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        for (const { txId } of confirmed.outcomes) {
          if (request.pending instanceof Map) request.pending.delete(txId);
        }
        return confirmed;
      },
    }),
  },
  'a transaction from outside supersedes the one of its sequence, and only at depth': {
    fault: 'superseded as soon as it is seen',
    config: shallow,
  },
  'one attempt of an action succeeds, and the others are superseded': {
    fault: 'attempts that lost are called failed',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const outcomes = confirmed.outcomes.map((one) =>
          one.status === 'superseded'
            ? {
                ...one,
                status: 'failed' as const,
                problem: { code: 'refused' as const, phase: 'confirm' as const, detail: 'Lost.' },
              }
            : one,
        );
        return { ...confirmed, outcomes };
      },
    }),
  },
  'a cursor whose block is gone is reported, and one whose block stands is not': {
    fault: 'reorganisations go unnoticed',
    session: (session) => ({
      confirm: async (request) => ({ ...(await session.confirm(request)), reorganised: false }),
    }),
  },
  'a transaction that a reorganisation dropped has no outcome until it is in the chain again': {
    fault: 'what was accepted once has succeeded',
    session: (session, { ledger }) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const { height, hash } = confirmed.cursor;
        const outcomes = [...request.pending.keys()]
          .filter((txId) => ledger.submissions.some((one) => one.txId === txId))
          .map((txId) => ({ txId, status: 'succeeded' as const, height, blockHash: hash }));
        return { ...confirmed, outcomes };
      },
    }),
  },
  'onHead() calls back with each new head, and not after it was stopped': {
    fault: 'a listener that cannot be stopped',
    session: (session) => ({
      onHead(listener) {
        session.onHead(listener);
        return () => undefined;
      },
    }),
  },
  'balances stand in the order of the addresses and follow a transfer': {
    fault: 'balances in the order of the alphabet',
    session: (session) => ({ balances: (all) => session.balances(all.toSorted()) }),
  },
  'emulating a view method gives its decoded result': {
    fault: 'a result that is not decoded',
    session: (session) => ({
      emulate: async (request) => ({ ...(await session.emulate(request)), result: '0x' }),
    }),
  },
  'emulating a call that the contract refuses is refused as reverted': {
    fault: 'a refusal is an empty result',
    session: (session) => ({
      emulate: (request) => session.emulate(request).catch(() => ({ result: null })),
    }),
  },
  "emulating a call of a contract of the ledger's own is refused, with and without a wallet, unless it is allowed":
    {
      fault: 'everybody may read everything',
      session: (session) => ({
        emulate: (request) => session.emulate({ ...request, systemContracts: true }),
      }),
    },
  'an emulation with a wallet gives a fee where there is one, and changes nothing': {
    fault: 'emulation executes',
    session: (session, { meddle }) => ({
      async emulate(request) {
        meddle(1n);
        return session.emulate(request);
      },
    }),
  },
  'look-up finds a final transaction by its id, and nothing where there is none': {
    fault: 'whatever is asked for is pending',
    session: () => ({ lookup: async (txId) => ({ txId, status: 'PENDING' }) }),
  },
  'look-up of a failed transaction says so, with its problem': {
    fault: 'failed without a reason',
    session: (session) => ({
      async lookup(txId) {
        const found = await session.lookup(txId);
        if (found === null) return null;
        const { problem: _, ...rest } = found;
        return rest;
      },
    }),
  },
  "emulate() without the capability 'emulation' is refused as unsupported-operation": {
    fault: 'emulation that was not declared',
    fewPowers: true,
    session: () => ({ emulate: async () => ({ result: null }) }),
  },
  "lookup() without the capability 'lookup' is refused as unsupported-operation": {
    fault: 'look-up that was not declared',
    fewPowers: true,
    session: () => ({ lookup: async () => null }),
  },
  "balances() without the capability 'balance' is refused as unsupported-operation": {
    fault: 'balances that were not declared',
    fewPowers: true,
    session: () => ({ balances: async (all) => all.map(() => 0n) }),
  },
  'sequences() without sequences is refused as unsupported-operation': {
    fault: 'sequences that were not declared',
    fewPowers: true,
    session: () => ({ sequences: async (all) => all.map(() => 0n) }),
  },
};

type Attempts = Extract<
  Awaited<ReturnType<LedgerSession['prepare']>>[number],
  { status: 'prepared' }
>['attempts'];

function reordered(change: (attempts: Attempts) => Attempts) {
  return (session: LedgerSession): Partial<LedgerSession> => ({
    async prepare(all) {
      const prepared = await session.prepare(all);
      return prepared.map((one) =>
        one.status === 'prepared' ? { ...one, attempts: change(one.attempts) } : one,
      );
    },
  });
}

/** Further faults, by the check that must find them. */
export const furtherMutantsFromSigningOn: readonly [check: string, mutant: Mutant][] = [
  [
    'look-up finds a final transaction by its id, and nothing where there is none',
    {
      fault: 'it tells another fee than the outcome',
      session: (session) => ({
        async lookup(txId) {
          const found = await session.lookup(txId);
          return found === null ? null : { ...found, fee: (found.fee ?? 0n) + 1n };
        },
      }),
    },
  ],
];

import type { LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import type { OperationType } from '@ledger-ops/glo-core';
import { severalSteps } from '../variants.ts';
import { type Mutant, recipient } from './mutant.ts';

const shallow = (config: LedgerConfig): LedgerConfig => ({
  ...config,
  properties: { ...config.properties, confirmations: 1 },
});

/** Refuses a declared operation type. */
const refusing = (type: OperationType): Mutant => ({
  fault: `every ${type} is refused`,
  session: (session) => ({
    async check(request) {
      if (request.operation.type !== type) return session.check(request);
      throw adapterError('refused', 'Not today.', { phase: 'check' });
    },
  }),
});

/** Reports each submitted transaction as executed two blocks later. */
const pretending = (session: LedgerSession): Partial<LedgerSession> => {
  const submitted = new Map<string, number>();
  return {
    async submit(all) {
      const { head } = await session.confirm({ cursor: null, pending: new Map() });
      for (const { txId } of all) submitted.set(txId, head.height);
      return all.map(({ txId }) => ({ txId, status: 'accepted' as const }));
    },
    async confirm(request) {
      const confirmed = await session.confirm({ ...request, pending: new Map() });
      const outcomes = [...request.pending.keys()].flatMap((txId) => {
        const height = (submitted.get(txId) ?? confirmed.head.height) + 1;
        return height > confirmed.cursor.height ? [] : [{ txId, status: 'succeeded' as const, height }];
      });
      return { ...confirmed, outcomes };
    },
  };
};

/** An account that no sample names. */
const other = `0x${'cd'.repeat(20)}`;

/** Reports each succeeded transaction as failed. */
const failing = (session: LedgerSession): Partial<LedgerSession> => ({
  async confirm(request) {
    const confirmed = await session.confirm(request);
    const problem = { code: 'reverted', phase: 'confirm', detail: 'Not today.' } as const;
    const outcomes = confirmed.outcomes.map((one) =>
      one.status === 'succeeded' ? { ...one, status: 'failed' as const, problem } : one,
    );
    return { ...confirmed, outcomes };
  },
});

/** Faults of estimates, signing, submitting, confirming and reading, by the name of the check that must find them. */
export const mutantsFromSigningOn: Readonly<Record<string, Mutant>> = {
  'the estimate of a valid operation is ready, with a plan that is JSON and a cost': {
    fault: 'the estimated cost is negative',
    session: () => ({
      estimate: async (all) => all.map(({ plan }) => ({ status: 'ready', plan, cost: -1n })),
    }),
  },
  "estimating a call that the contract rejects fails with 'reverted' and does not affect other estimates": {
    fault: 'one refusal fails the whole batch',
    session: (session) => ({
      async estimate(all) {
        const answers = await session.estimate(all);
        const failed = answers.find((answer) => answer.status === 'failed');
        return failed === undefined ? answers : answers.map(() => failed);
      },
    }),
  },
  'an estimated plan can be estimated again, because hosts do this if prepare() has to wait': {
    fault: 'estimating a plan again is refused',
    session: (session) => ({
      estimate: async (all) => {
        const answers = await session.estimate(all);
        return answers.map((answer, at) => {
          if (all[at]?.plan.estimated === true) {
            const problem = {
              code: 'invalid-argument',
              detail: 'Estimated already.',
              phase: 'estimate',
            } as const;
            return { status: 'failed' as const, problem };
          }
          return answer.status === 'ready'
            ? { ...answer, plan: { ...answer.plan, estimated: true } }
            : answer;
        });
      },
    }),
  },
  'an estimate waits if the node does not have the block that it needs': {
    fault: 'minHeight is ignored',
    session: (session) => ({
      estimate: (all) => session.estimate(all.map((one) => ({ ...one, minHeight: 0 }))),
    }),
  },
  'the same request and signatures produce the same bytes and ids in every session': {
    fault: 'the fee differs with each preparation',
    session: (session, { count }) => ({
      prepare: (all) =>
        session.prepare(all.map((one) => ({ ...one, plan: { ...one.plan, gasPrice: `${20 + count()}` } }))),
    }),
  },
  'another session can continue signing rounds, and repeating a round produces the same transaction id': {
    fault: 'the state of a signing round is kept in the session',
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
  'prepare() returns one main transaction, then fee bumps, then one empty transaction, each with its own id':
    {
      fault: 'the no-op comes first',
      session: reordered((attempts) => attempts.toReversed()),
    },
  'prepare() returns only the main transaction if the ledger does not support replacements': {
    fault: 'undeclared replacements are signed',
    fewPowers: true,
    session: reordered((attempts) => attempts.flatMap((one) => [one, { ...one, kind: 'bump' }])),
  },
  'the empty transaction can replace the main transaction, and the action then has no effect': {
    fault: 'the no-op executes the operation',
    session: reordered((attempts) =>
      attempts.slice(0, -1).map((one, index, all) => ({
        ...one,
        kind: index === all.length - 1 ? 'noop' : one.kind,
      })),
    ),
  },
  'each attempt can replace the previous attempt, and only the last attempt is executed': {
    fault: 'each bump offers a lower fee',
    session: reordered(([main, ...rest]) => {
      const noop = rest.pop();
      return [main, ...rest.toReversed(), noop].filter((one) => one !== undefined);
    }),
  },
  'a transaction takes at most its reported cost from the wallet': {
    fault: 'the cost does not include the fee',
    session: (session) => ({
      async advance(all) {
        const rounds = await session.advance(all);
        return rounds.map((one) => (one.done ? { ...one, result: { ...one.result, cost: 5n } } : one));
      },
    }),
  },
  'transactions with signatures of a wrong key or length are never executed': {
    fault: 'the adapter signs with its own copy of the key',
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
  'submitting the same bytes twice returns accepted or known each time, and executes the transaction once': {
    fault: 'bytes submitted again are executed again',
    session: (session, { ledger }) => ({
      async submit(all) {
        const answers = await session.submit(all);
        if (answers.some((answer) => answer.status === 'known')) ledger.fund(recipient, 5n);
        return answers;
      },
    }),
  },
  'the ledger executes bytes that are submitted twice only once': {
    fault: 'the ledger counts two executions',
    harness: (harness) => ({ ...harness, hooks: { ...harness.hooks, executions: async () => 2 } }),
  },
  'executes a transfer, if the adapter declares this type': refusing('transfer'),
  'executes a contract call, if the adapter declares this type': refusing('contract_call'),
  'executes a deployment, if the adapter declares this type': refusing('contract_deploy'),
  'a transfer moves its amount from the wallet to the recipient exactly once': {
    fault: 'the amount is one unit too high',
    session: (session) => ({
      check: ({ operation, ...rest }) =>
        session.check({
          ...rest,
          operation:
            operation.type === 'transfer' ? { ...operation, amount: operation.amount + 1n } : operation,
        }),
    }),
  },
  'another session submits and confirms the signed bytes of a closed session': {
    fault: 'a session submits only transactions that it signed',
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
  'each submission has one response, in order, and invalid bytes do not affect other submissions': {
    fault: 'responses are in another order',
    session: (session) => ({ submit: async (all) => (await session.submit(all)).toReversed() }),
  },
  'actions of one wallet that are signed in advance and submitted together are all executed': {
    fault: 'only the first of a batch is sent',
    session: (session) => ({
      async submit(all) {
        await session.submit(all.slice(0, 1));
        return all.map(({ txId }) => ({ txId, status: 'accepted' }));
      },
    }),
  },
  'sequences() counts the transactions up to the latest block': {
    fault: 'sequences are read at the first block',
    session: () => ({ sequences: async (all) => all.map(() => 0n) }),
  },
  'reports the outcome of a final transaction under the transaction id that was known before sending': {
    fault: 'the outcome has another id',
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
  'a deployment returns its contract address, normalized and unique': {
    fault: 'the outcome has no contract address',
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
  'a transaction has no outcome until its block has the required depth': {
    fault: 'success is reported with the first block',
    config: shallow,
  },
  'the outcome of a transaction that a block contains as failed is failed, with the reason': {
    fault: 'a failed transaction is reported as succeeded',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const outcomes = confirmed.outcomes.map((one) =>
          one.status === 'failed' ? { ...one, status: 'succeeded' as const } : one,
        );
        return { ...confirmed, outcomes };
      },
    }),
  },
  'another session can continue from a stored cursor, and finds old outcomes without a cursor': {
    fault: 'without a cursor, reading starts at the head',
    session: (session) => ({
      async confirm(request) {
        const confirmed = await session.confirm(request);
        const from = request.cursor?.height ?? confirmed.cursor.height - 1;
        return { ...confirmed, outcomes: confirmed.outcomes.filter(({ height = 0 }) => height > from) };
      },
    }),
  },
  'confirm() does not change the list of pending transactions, and returns no outcomes for other transactions':
    {
      fault: 'confirm() deletes finished transactions from the map',
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
  'an external transaction supersedes a pending transaction with the same sequence only at the required depth':
    {
      fault: 'superseded is reported before the required depth',
      config: shallow,
    },
  'one attempt of an action succeeds, and the others are superseded': {
    fault: 'superseded attempts are reported as failed',
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
  'reports a cursor whose block was removed, but not a cursor whose block still exists': {
    fault: 'reorgs are not reported',
    session: (session) => ({
      confirm: async (request) => ({ ...(await session.confirm(request)), reorganised: false }),
    }),
  },
  'a transaction that a reorg removed has no outcome until a block contains it again': {
    fault: 'an accepted transaction is reported as succeeded',
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
  'onHead() calls its listener for each new head until it is stopped': {
    fault: 'a listener cannot be removed',
    session: (session) => ({
      onHead(listener) {
        session.onHead(listener);
        return () => undefined;
      },
    }),
  },
  'balances are returned in the order of the addresses, and change after a transfer': {
    fault: 'balances are sorted by address',
    session: (session) => ({ balances: (all) => session.balances(all.toSorted()) }),
  },
  'emulating a view method returns its decoded result': {
    fault: 'the result is not decoded',
    session: (session) => ({
      emulate: async (request) => ({ ...(await session.emulate(request)), result: '0x' }),
    }),
  },
  "emulating a call that the contract rejects fails with 'reverted'": {
    fault: 'a rejected call returns an empty result',
    session: (session) => ({
      emulate: (request) => session.emulate(request).catch(() => ({ result: null })),
    }),
  },
  'emulating a call to a system contract is rejected, with and without a wallet, unless the request allows it':
    {
      fault: 'system contracts can be read without permission',
      session: (session) => ({
        emulate: (request) => session.emulate({ ...request, systemContracts: true }),
      }),
    },
  'an emulation with a wallet returns a fee if the ledger has fees, and changes nothing': {
    fault: 'emulation executes',
    session: (session, { meddle }) => ({
      async emulate(request) {
        meddle(1n);
        return session.emulate(request);
      },
    }),
  },
  'lookup() finds a final transaction by its id, and returns null for an unknown id': {
    fault: 'lookup() reports every id as pending',
    session: () => ({ lookup: async (txId) => ({ txId, status: 'PENDING' }) }),
  },
  'the signers and effect that lookup() returns match the plan, and transactionAt() finds the transaction': {
    fault: 'lookup() reports another effect',
    session: (session) => ({
      async lookup(txId) {
        const found = await session.lookup(txId);
        return found?.effect === undefined ? found : { ...found, effect: { ...found.effect, data: '0xff' } };
      },
    }),
  },
  'lookup() of a failed transaction returns the failure with its problem': {
    fault: 'the failure lacks its `problem`',
    session: (session) => ({
      async lookup(txId) {
        const found = await session.lookup(txId);
        if (found === null) return null;
        const { problem: _, ...rest } = found;
        return rest;
      },
    }),
  },
  "emulate() without the capability 'emulation' is rejected as unsupported-operation": {
    fault: 'emulate() works without being declared',
    fewPowers: true,
    session: () => ({ emulate: async () => ({ result: null }) }),
  },
  "lookup() without the capability 'lookup' is rejected as unsupported-operation": {
    fault: 'lookup() works without being declared',
    fewPowers: true,
    session: () => ({ lookup: async () => null }),
  },
  "balances() without the capability 'balance' is rejected as unsupported-operation": {
    fault: 'balances() works without being declared',
    fewPowers: true,
    session: () => ({ balances: async (all) => all.map(() => 0n) }),
  },
  'on a ledger without sequences, sequences() is rejected as unsupported-operation': {
    fault: 'sequences() works without being declared',
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

/** More faults, by the check that must find them. */
export const furtherMutantsFromSigningOn: readonly [check: string, mutant: Mutant][] = [
  [
    'executes a transfer, if the adapter declares this type',
    { fault: 'every transfer fails', session: failing },
  ],
  [
    'executes a contract call, if the adapter declares this type',
    { fault: 'every call fails', session: failing },
  ],
  [
    'executes a deployment, if the adapter declares this type',
    { fault: 'every deployment fails', session: failing },
  ],
  [
    'a transfer moves its amount from the wallet to the recipient exactly once',
    {
      fault: 'the amount is paid to another account',
      session: (session) => ({
        check: ({ operation, ...rest }) =>
          session.check({
            ...rest,
            operation: operation.type === 'transfer' ? { ...operation, recipient: other } : operation,
          }),
      }),
    },
  ],
  [
    'a transfer moves its amount from the wallet to the recipient exactly once',
    { fault: 'nothing is sent, and everything is reported as succeeded', session: pretending },
  ],
  [
    'the ledger executes bytes that are submitted twice only once',
    { fault: 'nothing is sent, and everything is reported as succeeded', session: pretending },
  ],
  [
    'a transfer moves its amount from the wallet to the recipient exactly once',
    {
      fault: 'a second transfer is sent with each transfer',
      variant: severalSteps,
      session: (session, { meddle }) => ({
        async submit(all) {
          const answers = await session.submit(all);
          meddle(5n);
          return answers;
        },
      }),
    },
  ],
  [
    'a transfer moves its amount from the wallet to the recipient exactly once',
    {
      fault: 'the reported fee is half of the fee',
      session: (session) => ({
        async confirm(request) {
          const confirmed = await session.confirm(request);
          const outcomes = confirmed.outcomes.map((one) =>
            one.status === 'succeeded' && one.fee !== undefined ? { ...one, fee: one.fee / 2n } : one,
          );
          return { ...confirmed, outcomes };
        },
      }),
    },
  ],
  [
    'the signers and effect that lookup() returns match the plan, and transactionAt() finds the transaction',
    {
      fault: 'transactionAt() returns any id',
      session: () => ({ transactionAt: async () => '0x00' }),
    },
  ],
  [
    'lookup() finds a final transaction by its id, and returns null for an unknown id',
    {
      fault: 'lookup() returns another fee than the outcome',
      session: (session) => ({
        async lookup(txId) {
          const found = await session.lookup(txId);
          return found === null ? null : { ...found, fee: (found.fee ?? 0n) + 1n };
        },
      }),
    },
  ],
];

// Tests the texts of explanations: none is missing, and each request that they name exists and requires the stated
// permission.
import { globSync, readFileSync } from 'node:fs';
import { amountText, Problem, type ProblemName } from '@ledger-ops/base';
import { type ActionDetails, endProblems, pendingCodes } from '@ledger-ops/runtime';
import { describe, expect, test } from 'vitest';
import { neededText } from '../../scripts/docs-text.ts';
import { explain } from '../../src/explain/explain.ts';
import { requests } from '../../src/explain/requests.ts';
import { endTexts, pendingTexts } from '../../src/explain/texts.ts';
import { makeServer, openGround } from '../stage/harness.ts';

const root = new URL('../../../../', import.meta.url);
const at = Date.UTC(2026, 10, 20, 12, 30, 5);

const attempt: ActionDetails['attempts'][number] = {
  ...{
    txId: '0x01',
    executed: false,
    kind: 'main',
    sequence: 7,
    at: at + 1_000,
    signedAtHeight: 5,
    settledAt: null,
  },
  ...{ maxCost: '2', fee: null, blockHeight: null, validUntil: null, replacedBy: null, reason: null },
};
const accepted: ActionDetails = {
  ...{ uid: 'a/1', actionId: 'a/1', contractAddress: null, createdAt: at, updatedAt: at, dependencies: [] },
  ...{ intent: '', ledgerId: 'chain', locator: null, explorerUrl: null, status: 'PENDING', tag: null },
  ...{ context: null, walletId: 'payer', details: null, problem: null, retracted: null },
  pending: { stage: 'ready', code: 'turn', detail: 'Words of the server.' },
  ...{ projectId: 'one', type: 'transfer', contract: null, method: null, recipient: '0xaa', amount: '1500' },
  ...{ unit: { symbol: 'COIN', decimals: 3 }, fee: null, blockHeight: null, blockTime: null, endedAt: null },
  ...{
    creator: { serviceId: 'who', appId: 'app' },
    traceId: '',
    operation: {},
    arguments: null,
    argumentsPreview: null,
    names: { contract: null, recipient: null, arguments: [] },
    overrides: [],
  },
  changes: ['cancel'],
  ...{ dependsOn: [], waitingSince: at + 500, change: null, deadline: at + 60_000, attempts: [] },
  ...{ signedAt: null, sentAt: null, dependents: [] },
};
const signed: ActionDetails = {
  ...accepted,
  pending: { stage: 'signed', code: 'confirmation', detail: 'Words of the server.' },
  ...{ attempts: [attempt], changes: ['hurry', 'cancel'], signedAt: attempt.at, sentAt: at + 2_000 },
};
const failed: ActionDetails = {
  ...{
    ...accepted,
    status: 'FAILED',
    pending: null,
    endedAt: at + 3_000,
    deadline: null,
    waitingSince: null,
  },
  problem: new Problem('reverted', 'Not enough allowance.').toDocument(),
};

const textOf = (action: ActionDetails) =>
  explain(action, at)
    .sentences.map(({ text }) => text)
    .join('\n');
const asked = (action: ActionDetails) => explain(action, at).next.map(({ request }) => request?.path);

test('each request that an explanation suggests exists and requires the stated permission', async () => {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  for (const { method, path, permission } of Object.values(requests)) {
    const route = routes.find((one) => one.path === path && one.method === method.toLowerCase());
    const needed = route === undefined ? 'no such request' : neededText(route.permission);
    expect(needed, `${method} ${path}`).toMatch(
      permission === null ? /^(nothing|oneself)$/ : new RegExp(`\`${permission}\``),
    );
  }
});

test('each problem that the engine creates has a failure text, unless it is only returned in a response', () => {
  const answers: ProblemName[] = ['already-exists', 'conflict', 'unknown-dependency'];
  const folder = new URL('packages/runtime/src/', root);
  const made = globSync('{engine,rows}/**/*.ts', { cwd: folder }).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/new Problem\(\s*'([a-z-]+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter((name) => ![...endProblems, ...answers].some((one) => one === name))).toEqual([]);
});

describe('pending reasons', () => {
  for (const code of Object.keys(pendingCodes) as (keyof typeof pendingCodes)[])
    test(`the explanation of the pending reason ${code} contains its text, the waiting time and the deadline`, () => {
      const stage = code === 'dependencies' ? 'blocked' : 'ready';
      const unsigned = { ...accepted, pending: { stage, code, detail: 'Words of the server.' } } as const;
      const { summary, sentences } = explain(unsigned, at);
      expect(summary).toContain(pendingTexts[code].waits);
      expect(summary).toMatch(
        /^A transfer of 1\.5 COIN to 0xaa, from the wallet payer on the ledger chain: /,
      );
      expect(textOf(unsigned)).toContain('It has been waiting since 2026-11-20T12:30:05.500Z: ');
      expect(textOf(unsigned)).toContain('If the action is not signed by 2026-11-20T12:31:05.000Z, it fails');
      expect(textOf(unsigned).includes('Words of the server.')).toBe(code !== 'dependencies');
      expect([...new Set(sentences.map(({ about }) => about))]).toEqual([
        ...['operation', 'history', 'state', 'safety'],
      ]);
      expect(asked(unsigned)).toContain('/v1/ledger-ops/actions/a%2F1/cancel');
      expect(asked(unsigned).join()).not.toContain('{');
    });
});

test('the explanation says why an action is pending after its deadline', () => {
  const late = { ...accepted, deadline: at - 1_000 };
  expect(textOf(late)).toContain(
    'The deadline passed at 2026-11-20T12:30:04.000Z, so the action will no longer be signed.',
  );
});

describe('failures of actions', () => {
  for (const name of endProblems)
    test(`the explanation of the failure ${name} contains its cause and a next step`, () => {
      const one = { ...failed, problem: new Problem(name, 'Words of the ledger.').toDocument() };
      const because = name === 'cancelled' ? '' : 'it failed, because ';
      expect(explain(one, at).summary).toContain(`: ${because}${endTexts[name].failed}.`);
      expect(textOf(one)).toContain('Nothing was ever signed or sent for the action');
      expect(textOf(one).includes('Words of the ledger.')).toBe(name !== 'dependency-failed');
      expect(asked(one)).not.toContain('/v1/ledger-ops/actions/a%2F1/cancel');
      expect(asked(one)).not.toEqual([]);
      expect(asked(one).join()).not.toContain('{');
    });
  test('the explanation of an unknown problem type contains its title and detail', () => {
    const problem = { ...new Problem('reverted', 'Odd.').toDocument(), type: 'urn:else', title: 'Else' };
    expect(textOf({ ...failed, problem })).toContain('It failed: Else.\nOdd.');
  });
});

test('the explanation of a successful action contains its time, block and fee', () => {
  const done = {
    ...signed,
    status: 'SUCCEEDED',
    pending: null,
    endedAt: at,
    fee: '21',
    blockHeight: 9,
  } as const;
  expect(textOf(done)).toMatch(
    /The action completed at 2026-11-20T12:30:05.000Z, in block 9. The fee was 0.021 COIN./,
  );
  expect(textOf(done)).toContain('The action is confirmed on the ledger.');
  expect(explain(done, at).next).toEqual([]);
});

test('the explanation of a retracted action says that a reorg removed its result', () => {
  const retracted = { at: at + 9_000, detail: 'Block 9 is another one now.' };
  const done = { ...signed, status: 'SUCCEEDED', pending: null, retracted } as const;
  expect(textOf(done)).toContain('a reorg removed the action’s result: Block 9 is another one now.');
  expect(textOf(done)).not.toMatch(/The action has succeeded|do not need to do anything|is confirmed/);
  expect(explain(done, at).summary).toContain('it succeeded, but a reorg has since removed its result');
  expect(asked(done)).toEqual(['/v1/admin/ledger-health', '/v1/ledger-ops/send']);
});

test('the explanation of a failed action says that it must not be sent again if the ledger executed it after a reorg', () => {
  const retracted = { at: at + 9_000, by: '0x01', detail: 'The transaction 0x01 was executed.' };
  const one = { ...failed, attempts: [attempt], locator: '0x01', retracted };
  expect(explain(one, at).summary).toContain('but the ledger has since executed it.');
  expect(textOf(one)).toContain('Do not send the action again.');
  expect(asked(one)).toEqual(['/v1/admin/ledger-health']);
});

test('if an action failed unsigned but may have been executed, the explanation does not say that the ledger is unchanged', () => {
  for (const name of ['cancelled', 'dependency-failed'] as const) {
    const problem = new Problem(name, 'One of them may have executed it.', {
      extensions: { mayBeExecuted: true },
    }).toDocument();
    const one = { ...failed, problem };
    expect(textOf(one)).toContain('The ledger may have executed the action');
    expect(textOf(one)).not.toContain('the ledger is unchanged');
    expect(asked(one)).toEqual([
      '/v1/cloud-wallet/wallets/payer/unknown-transactions',
      '/v1/ledger-ops/send',
    ]);
    expect(explain(one, at).next.at(-1)?.action).toContain('only if none of them executed it');
  }
});

test('if an action was marked as executed, the explanation does not say that this service signed it', () => {
  const one: ActionDetails = {
    ...{
      ...signed,
      status: 'SUCCEEDED',
      pending: null,
      changes: [],
      endedAt: at,
      signedAt: null,
      sentAt: null,
    },
    ...{ locator: '0x01', attempts: [{ ...attempt, kind: 'outside', executed: true }] },
  };
  const said = textOf(one);
  expect(said).toContain('The action was marked as executed by a transaction of another program');
  expect(said).not.toContain('The action was signed');
});

test('the explanation says that an action is signed again because another transaction used its nonce', () => {
  const said = textOf({ ...accepted, attempts: [attempt] });
  expect(said).toContain('The nonce of the earlier transaction was used by another transaction');
  const withoutNonce = textOf({ ...accepted, attempts: [{ ...attempt, sequence: null }] });
  expect(withoutNonce).toContain('The earlier transaction of the action is finished on the ledger.');
});

test('the explanation of a signed action suggests the changes that can be requested', () => {
  const { path } = { path: '/v1/ledger-ops/actions/a%2F1' };
  expect(asked(signed)).toEqual([`${path}/events`, `${path}/hurry`, `${path}/cancel`]);
  expect(asked({ ...signed, changes: [] })).toEqual([`${path}/events`]);
  expect(asked({ ...signed, changes: ['hurry'] })).toEqual([`${path}/events`, `${path}/hurry`]);
  expect(textOf(signed)).toContain('have the same nonce');
  const unsequenced = { ...signed, attempts: [{ ...attempt, sequence: null }] };
  expect(textOf(unsequenced)).not.toContain('nonce');
  expect(textOf(unsequenced)).toContain('only if the ledger can execute just one of them');
  expect(textOf({ ...unsequenced, changes: [] })).toContain(
    'Nothing else is signed for the action before that',
  );
  expect(JSON.stringify(explain(unsequenced, at).next)).not.toContain('nonce');
});

describe('a requested change of an action that has completed', () => {
  const canceled: ActionDetails = {
    ...failed,
    attempts: [attempt, { ...attempt, kind: 'noop', txId: '0x02', executed: true }],
    locator: '0x02',
    change: 'cancel',
    problem: new Problem('cancelled', 'The empty transaction was mined.').toDocument(),
  };
  test('the explanation of a canceled action says that it was canceled, not that it failed', () => {
    const { summary } = explain(canceled, at);
    expect(summary).toMatch(/: it was canceled on request\.$/);
    const said = `${summary}\n${textOf(canceled)}`;
    expect(said).toContain('Cancellation was requested and has completed.');
    expect(said).not.toMatch(/not done yet|failed/);
    expect(textOf({ ...canceled, change: null, attempts: [], locator: null })).not.toMatch(
      /not done yet|failed/,
    );
  });

  test('if an action completed before its cancellation, the explanation says that the cancellation came too late', () => {
    const late = 'Cancellation was requested, but the ledger executed the action first.';
    const attempts: ActionDetails['attempts'] = [
      { ...attempt, executed: true },
      { ...attempt, kind: 'noop', txId: '0x02' },
    ];
    const executed: ActionDetails = { ...canceled, attempts, locator: '0x01' };
    expect(textOf({ ...executed, status: 'SUCCEEDED', problem: null })).toContain(late);
    const reverted = textOf({ ...executed, problem: failed.problem });
    expect(reverted).toContain(late);
    expect(reverted).toContain('The ledger executed the transaction, but the transaction failed');
    expect(reverted).not.toContain('The empty transaction used its nonce');
    expect(textOf({ ...signed, change: 'cancel' })).toContain('requested but has not');
  });

  test('the explanation of an action that was not executed does not say that it was executed before its cancellation', () => {
    for (const name of ['nonce-taken', 'chain-reset', 'expired'] as const) {
      const problem = new Problem(name, 'Words of the ledger.').toDocument();
      const said = textOf({ ...failed, problem, attempts: [attempt], change: 'cancel' });
      expect(said).toContain('Cancellation was requested, but the action failed for another reason first.');
      expect(said).not.toContain('executed it first');
    }
  });

  test('the explanation of a completed action does not announce a higher fee', () => {
    const hurried: ActionDetails = { ...canceled, status: 'SUCCEEDED', problem: null, change: 'hurry' };
    expect(textOf({ ...hurried, attempts: [attempt] })).toContain('but the action completed first');
    const bumped = textOf({ ...hurried, attempts: [attempt, { ...attempt, kind: 'bump' }] });
    expect(bumped).toContain('A higher fee was requested.');
    expect(textOf({ ...signed, change: 'hurry' })).toContain(
      'A higher fee was requested but has not been sent yet.',
    );
  });
});

test('an explanation lists the action’s transactions in order, each with the reason for sending it', () => {
  const bump = {
    ...attempt,
    txId: '0x02',
    kind: 'bump',
    at: at + 4_000,
    reason: 'Nobody mined it.',
  } as const;
  const noop = { ...attempt, txId: '0x03', kind: 'noop', executed: true, at: at + 5_000 } as const;
  const text = textOf({ ...failed, locator: '0x03', attempts: [attempt, bump, noop], sentAt: at + 2_000 });
  expect(text).toMatch(
    /signed at .*06.000Z: 0x01.\nA node accepted the transaction at .*07.000Z.\nThe action was signed again with a higher fee at .*09.000Z: 0x02. Nobody mined it.\nAn empty transaction with the same nonce was signed at .*10.000Z: 0x03./,
  );
  expect(text).toContain('The empty transaction used its nonce');
});

test('an explanation names only dependencies that the caller may see', () => {
  const pending = { stage: 'blocked', code: 'dependencies', detail: 'Waits for hidden, b.' } as const;
  const dependsOn = [{ actionId: 'b', status: 'PENDING' as const }];
  const text = textOf({ ...accepted, pending, dependsOn });
  expect([text.includes('The action waits for b.'), text.includes('hidden')]).toEqual([true, false]);
  expect(asked({ ...accepted, pending, dependsOn })[0]).toBe('/v1/ledger-ops/actions/b/explain');
});

test.each([
  ['0', '0 ETH'],
  ['1', '0.000000000000000001 ETH'],
  ['1000000000000000000', '1 ETH'],
  ['1230000000000000000000', '1230 ETH'],
])('an explanation shows the amount %s (in the smallest unit) as %s', (amount, text) => {
  expect(amountText(amount, { symbol: 'ETH', decimals: 18 })).toBe(text);
  expect(amountText(amount, { symbol: 'DUST', decimals: 0 })).toBe(`${amount} DUST`);
  expect(amountText(amount, null)).toBe(`${amount} (in the smallest unit)`);
});

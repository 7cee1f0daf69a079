// Texts of explanations: none is missing, and each request that they name exists for whom they say.
import { globSync, readFileSync } from 'node:fs';
import { Problem, type ProblemName } from '@ledger-ops/base';
import { type ActionDetails, endProblems, pendingCodes } from '@ledger-ops/runtime';
import { describe, expect, test } from 'vitest';
import { amountText } from '../../src/explain/amount.ts';
import { explain } from '../../src/explain/explain.ts';
import { requests } from '../../src/explain/requests.ts';
import { endTexts, pendingTexts } from '../../src/explain/texts.ts';

const root = new URL('../../../../', import.meta.url);
const at = Date.UTC(2026, 10, 20, 12, 30, 5);

const attempt: ActionDetails['attempts'][number] = {
  ...{ txId: '0x01', kind: 'main', sequence: 7, at: at + 1_000, signedAtHeight: 5, settledAt: null },
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
    overrides: [],
  },
  ...{ dependsOn: [], waitingSince: at + 500, change: null, deadline: at + 60_000, attempts: [] },
  ...{ signedAt: null, sentAt: null, dependents: [] },
};
const signed: ActionDetails = {
  ...accepted,
  pending: { stage: 'signed', code: 'confirmation', detail: 'Words of the server.' },
  ...{ attempts: [attempt], signedAt: attempt.at, sentAt: at + 2_000 },
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
  explain(action)
    .sentences.map(({ text }) => text)
    .join('\n');
const asked = (action: ActionDetails) => explain(action).next.map(({ request }) => request?.path);

test('each request exists, and needs what is said', () => {
  const lines = readFileSync(new URL('docs/permissions.md', root), 'utf8').split('\n');
  for (const { method, path, permission } of Object.values(requests)) {
    const line = lines.find((one) => one.startsWith(`| \`${method} ${path}\``));
    const said = permission === null ? /\| (nothing|oneself) \|/ : new RegExp(`\`${permission}\``);
    expect(line, `${method} ${path}`).toMatch(said);
  }
});

test('each problem that the engine makes is an end, or answers a request', () => {
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

describe('every reason', () => {
  for (const code of Object.keys(pendingCodes) as (keyof typeof pendingCodes)[])
    test(code, () => {
      const stage = code === 'dependencies' ? 'blocked' : 'ready';
      const unsigned = { ...accepted, pending: { stage, code, detail: 'Words of the server.' } } as const;
      const { summary, sentences } = explain(unsigned);
      expect(summary).toContain(pendingTexts[code].waits);
      expect(summary).toMatch(
        /^A transfer of 1\.5 COIN to 0xaa, from the wallet payer on the ledger chain: /,
      );
      expect(textOf(unsigned)).toContain('It has waited since 2026-11-20T12:30:05.500Z: ');
      expect(textOf(unsigned)).toContain('If it is not signed by 2026-11-20T12:31:05.000Z, it fails');
      expect(textOf(unsigned).includes('Words of the server.')).toBe(code !== 'dependencies');
      expect([...new Set(sentences.map(({ about }) => about))]).toEqual([
        ...['operation', 'history', 'state', 'safety'],
      ]);
      expect(asked(unsigned)).toContain('/v1/ledger-ops/actions/a%2F1/cancel');
      expect(asked(unsigned).join()).not.toContain('{');
    });
});

describe('every failure', () => {
  for (const name of endProblems)
    test(name, () => {
      const one = { ...failed, problem: new Problem(name, 'Words of the ledger.').toDocument() };
      expect(explain(one).summary).toContain(`it failed, because ${endTexts[name].failed}`);
      expect(textOf(one)).toContain('Nothing of it was ever signed or sent');
      expect(textOf(one).includes('Words of the ledger.')).toBe(name !== 'dependency-failed');
      expect(asked(one)).not.toContain('/v1/ledger-ops/actions/a%2F1/cancel');
      expect(asked(one)).not.toEqual([]);
      expect(asked(one).join()).not.toContain('{');
    });
  test('one of another version', () => {
    const problem = { ...new Problem('reverted', 'Odd.').toDocument(), type: 'urn:else', title: 'Else' };
    expect(textOf({ ...failed, problem })).toContain('It failed: Else.\nOdd.');
  });
});

test('a success', () => {
  const done = {
    ...signed,
    status: 'SUCCEEDED',
    pending: null,
    endedAt: at,
    fee: '21',
    blockHeight: 9,
  } as const;
  expect(textOf(done)).toMatch(
    /It ended at 2026-11-20T12:30:05.000Z, in block 9. 0.021 COIN were paid as its fee./,
  );
  expect(textOf(done)).toContain('It stands on the ledger, once.');
  expect(explain(done).next).toEqual([]);
});

test('one that the ledger took back', () => {
  const retracted = { at: at + 9_000, detail: 'Block 9 is another one now.' };
  const done = { ...signed, status: 'SUCCEEDED', pending: null, retracted } as const;
  expect(textOf(done)).toContain('the ledger took that back: Block 9 is another one now.');
  expect(asked(done)).toEqual(['/v1/admin/ledger-health']);
});

test('a signed one can be cancelled and hurried where it has a nonce, once', () => {
  const { path } = { path: '/v1/ledger-ops/actions/a%2F1' };
  expect(asked(signed)).toEqual([`${path}/events`, `${path}/hurry`, `${path}/cancel`]);
  expect(asked({ ...signed, change: 'cancel' })).toEqual([`${path}/events`]);
  expect(asked({ ...signed, attempts: [{ ...attempt, sequence: null }] })).toEqual([`${path}/events`]);
  expect(textOf(signed)).toContain('All its transactions have one nonce');
  expect(textOf({ ...signed, attempts: [{ ...attempt, sequence: null }] })).not.toContain('nonce');
});

test('its transactions in their order, with their reasons', () => {
  const bump = {
    ...attempt,
    txId: '0x02',
    kind: 'bump',
    at: at + 4_000,
    reason: 'Nobody mined it.',
  } as const;
  const noop = { ...attempt, txId: '0x03', kind: 'noop', at: at + 5_000 } as const;
  const text = textOf({ ...failed, locator: '0x03', attempts: [attempt, bump, noop], sentAt: at + 2_000 });
  expect(text).toMatch(
    /signed at .*06.000Z: 0x01.\nA node took it at .*07.000Z.\nThe same was signed with a higher fee at .*09.000Z: 0x02. Nobody mined it.\nAn empty transaction was signed in its place at .*10.000Z: 0x03./,
  );
  expect(text).toContain('The empty transaction took its nonce');
});

test('dependencies are named as far as the caller sees them', () => {
  const pending = { stage: 'blocked', code: 'dependencies', detail: 'Waits for hidden, b.' } as const;
  const dependsOn = [{ actionId: 'b', status: 'PENDING' as const }];
  const text = textOf({ ...accepted, pending, dependsOn });
  expect([text.includes('It waits for b.'), text.includes('hidden')]).toEqual([true, false]);
  expect(asked({ ...accepted, pending, dependsOn })[0]).toBe('/v1/ledger-ops/actions/b/explain');
});

test.each([
  ['0', '0 ETH'],
  ['1', '0.000000000000000001 ETH'],
  ['1000000000000000000', '1 ETH'],
  ['1230000000000000000000', '1230 ETH'],
])('%s of the smallest unit', (amount, text) => {
  expect(amountText(amount, { symbol: 'ETH', decimals: 18 })).toBe(text);
  expect(amountText(amount, { symbol: 'DUST', decimals: 0 })).toBe(`${amount} DUST`);
  expect(amountText(amount, null)).toBe(`${amount} of the smallest unit`);
});

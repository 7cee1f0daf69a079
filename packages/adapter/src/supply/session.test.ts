import { expect, test } from 'vitest';
import type { Adapter } from '../contract/definition.ts';
import type { Session } from '../contract/session.ts';
import { defineAdapter } from '../define-adapter.ts';
import { AdapterError, adapterError } from '../error.ts';

const ledger = { ledgerId: 'here', technology: 'test', properties: { polling_interval: 1 }, nodes: [] };
const least: Session = {
  chain: () => ({ id: 'test:1', genesis: 'first' }),
  createWallet: () => ({ done: true, result: { address: 'a1' } }),
  check: () => ({ plan: {} }),
  prepare: () => ({ done: true, result: { txId: '1', bytes: new Uint8Array(), cost: 0n } }),
  advance: () => ({ done: true, result: { txId: '1', bytes: new Uint8Array(), cost: 0n } }),
  submit: () => ({ status: 'accepted' }),
  confirm: () => ({ cursor: { height: 1, hash: 'one' }, outcomes: [] }),
};

/** Opens a session with these methods. The controller ends the session. */
async function opened(
  methods: Partial<Session> = {},
  capabilities: Adapter['capabilities'] = { operations: ['transfer'] },
  threw?: (thrown: unknown) => void,
) {
  const end = new AbortController();
  const adapter = defineAdapter({
    name: 'test',
    technology: 'test',
    version: '1.0.0',
    keyType: 'p256',
    description: { title: 'Test', addresses: { account: { pattern: '^a[0-9]$', example: 'a1' } } },
    capabilities,
    open: () => ({ ...least, ...methods }),
  });
  const host = { now: Date.now, log: () => {}, signal: end.signal, ...(threw && { threw }) };
  const session = await adapter.open(ledger, host);
  return { adapter, session, end };
}

const operation = {
  type: 'transfer',
  recipient: 'a2',
  amount: 1n,
  native: { technology: 'test', content: {} },
} as const;
const wallet = { address: 'a1' };
const request = (minHeight = 0) => ({ wallet, plan: {}, minHeight });

test('fills in defaults for members that the answers of an author’s methods lack', async () => {
  const { adapter, session } = await opened();
  expect(adapter.capabilities).toMatchObject({ sequence: 'none', balance: false });
  expect(await session.check({ wallet, operation })).toEqual({
    plan: {},
    recipients: [],
    readiness: 'ready',
    cost: 0n,
  });
  expect(await session.estimate([request()])).toEqual([{ status: 'ready', plan: {} }]);
  expect(await session.submit([{ txId: '7', bytes: new Uint8Array() }])).toEqual([
    { txId: '7', status: 'accepted' },
  ]);
  expect(await session.confirm({ cursor: null, pending: new Map() })).toMatchObject({
    head: { height: 1, hash: 'one' },
    reorganised: false,
  });
  expect(await session.prepare([{ actionId: '1', wallet, plan: {} }])).toMatchObject([
    { status: 'prepared', attempts: [{ kind: 'main', round: { done: true } }] },
  ]);
});

test("returns an error of one request as the answer to that request, with the method's phase", async () => {
  let calls = 0;
  const fails = (code: 'reverted' | 'timeout' | 'refused') => () => {
    calls += 1;
    if (calls % 2 === 1) throw adapterError(code, 'No.');
    return { status: 'ready' as const, plan: {}, cost: 1n };
  };
  const failed = (phase: string, code: string) => ({ problem: { code, phase, detail: 'No.' } });
  const { session } = await opened({ estimate: fails('reverted') });
  expect(await session.estimate([request(), request()])).toEqual([
    { status: 'failed', ...failed('estimate', 'reverted') },
    { status: 'ready', plan: {}, cost: 1n },
  ]);
  const later = await opened({ estimate: fails('timeout') });
  expect(await later.session.estimate([request()])).toMatchObject([{ status: 'wait' }]);
  const refuses = await opened({
    submit: () => {
      throw adapterError('refused', 'No.');
    },
    prepare: () => {
      throw adapterError('refused', 'No.');
    },
  });
  expect(await refuses.session.submit([{ txId: '7', bytes: new Uint8Array() }])).toEqual([
    { txId: '7', status: 'refused', ...failed('submit', 'refused') },
  ]);
  expect(await refuses.session.prepare([{ actionId: '1', wallet, plan: {} }])).toEqual([
    { status: 'failed', ...failed('prepare', 'refused') },
  ]);
});

test('passes invalid answers on to the host instead of reporting them as ledger errors', async () => {
  const toAdapterError = () => adapterError('unavailable', 'The ledger does not answer.');
  for (const odd of [undefined, null, 'done']) {
    // Code that is not type-checked may return anything.
    const methods: Partial<Session> = { toAdapterError };
    const { session } = await opened(Object.assign(methods, { prepare: () => odd, confirm: () => odd }));
    expect(await session.prepare([{ actionId: '1', wallet, plan: {} }])).toEqual([odd]);
    expect(await session.confirm({ cursor: null, pending: new Map() })).toMatchObject({
      ...{ head: undefined, outcomes: undefined },
    });
  }
});

test('reports thrown errors to the host before they become AdapterErrors', async () => {
  const seen: unknown[] = [];
  const bug = new TypeError('a bug');
  const throwing = (error: unknown) => () => {
    throw error;
  };
  const methods = {
    submit: throwing(bug),
    chain: throwing(adapterError('unavailable', 'No.')),
    toAdapterError: () => adapterError('unavailable', 'The ledger does not answer.'),
  };
  const { session } = await opened(methods, undefined, (thrown) => seen.push(thrown));
  const answers = await session.submit([{ txId: '7', bytes: new Uint8Array() }]);
  expect(answers).toMatchObject([{ status: 'unavailable' }]);
  await expect(session.chain()).rejects.toMatchObject({ code: 'unavailable' });
  expect(seen).toEqual([bug]);
});

test('refuses methods that are not declared, even if they exist', async () => {
  const { session } = await opened({ lookup: () => null });
  const refused = { code: 'unsupported-operation' };
  await expect(session.lookup('1')).rejects.toMatchObject({ ...refused, phase: 'lookup' });
  await expect(session.balances(['a1'])).rejects.toMatchObject(refused);
  await expect(
    session.check({ wallet, operation: { ...operation, type: 'contract_deploy', args: [], value: 0n } }),
  ).rejects.toMatchObject({ ...refused, phase: 'check' });
});

test('does not open a session that lacks a declared method', async () => {
  await expect(opened({}, { operations: ['transfer'], balance: true })).rejects.toMatchObject({
    code: 'adapter-fault',
    message: expect.stringContaining('balances()'),
  });
});

test('validates addresses with the pattern of the description', async () => {
  const { session } = await opened();
  expect(await session.normaliseAddress('a7')).toBe('a7');
  await expect(session.normaliseAddress('b7')).rejects.toMatchObject({
    problem: { code: 'invalid-argument', phase: 'check', issues: [{ pointer: '/address' }] },
  });
});

test('an estimate whose block is missing returns wait, and other estimates are answered', async () => {
  const { session } = await opened({
    head: () => ({ height: 5, hash: 'five' }),
    estimate: { all: (requests) => requests.map(({ plan }) => ({ status: 'ready', plan, cost: 2n })) },
  });
  const ready = { status: 'ready', plan: {}, cost: 2n };
  expect(await session.estimate([request(6), request(5), request()])).toMatchObject([
    { status: 'wait', problem: { code: 'unavailable', phase: 'estimate' } },
    ready,
    ready,
  ]);
});

test('polls for new blocks if the session has a head method', async () => {
  let height = 1;
  const { session } = await opened({ head: () => ({ height, hash: `${height}` }) });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const stop = session.onHead(resolve);
  setTimeout(() => {
    height = 2;
  }, 5);
  expect(await promise).toEqual({ height: 2, hash: '2' });
  stop();
  await session.close();
});

test("closing a session makes its calls fail and calls the author's close() once", async () => {
  let closed = 0;
  const { session, end } = await opened({
    confirm: () => new Promise(() => {}),
    close: () => {
      closed += 1;
    },
  });
  const hanging = session.confirm({ cursor: null, pending: new Map() });
  end.abort();
  await session.close();
  await expect(hanging).rejects.toMatchObject({ code: 'unavailable', phase: 'confirm' });
  await expect(session.chain()).rejects.toMatchObject({ code: 'unavailable', phase: 'open' });
  expect(() => session.onHead(() => {})).toThrow(AdapterError);
  expect(closed).toBe(1);
});

test('converts library errors with the adapter’s own toAdapterError', async () => {
  const { session } = await opened({
    chain: () => {
      throw new TypeError('socket');
    },
    submit: () => {
      throw new TypeError('socket');
    },
    toAdapterError: (cause) => adapterError('unavailable', 'The ledger is down.', { cause }),
  });
  await expect(session.chain()).rejects.toMatchObject({ code: 'unavailable', phase: 'open' });
  expect(await session.submit([{ txId: '7', bytes: new Uint8Array() }])).toMatchObject([
    { txId: '7', status: 'unavailable', problem: { phase: 'submit' } },
  ]);
});

import type { AdapterErrorCode, ResolvedOperation } from '@ledger-ops/adapter';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy } from './proxy.ts';
import {
  call,
  contracts,
  deploy,
  ethereum,
  ethereumWith,
  execute,
  keyOf,
  ledgerOf,
  openSession,
  sign,
  type TestSession,
  transfer,
} from './stage.ts';

const gwei = 1_000_000_000n;
const other = '0x000000000000000000000000000000000000bEEF';
let node: Anvil;
let actor: TestSession;
let fixture: string;

beforeAll(async () => {
  node = await startAnvil();
  actor = await openSession(ledgerOf([node.url], { chain_id: 31337 }), keyOf(node));
  fixture = await deploy(actor, contracts.Fixture, ['7', 'hello']);
});
afterAll(async () => {
  await actor?.session.close();
  await node?.stop();
});

async function withProperties<Result>(
  properties: Record<string, string | number | boolean>,
  run: (actor: TestSession) => Promise<Result>,
): Promise<Result> {
  const own = await openSession(ledgerOf([node.url], properties), keyOf(node));
  try {
    return await run(own);
  } finally {
    await own.session.close();
  }
}

const native = (content: object) => ({ native: ethereumWith(content) });
const deployment = (more: object): ResolvedOperation => ({
  type: 'contract_deploy',
  source: contracts.Fixture,
  args: ['1', 'x'],
  value: 0n,
  native: ethereum,
  ...more,
});

const refusals: [why: string, operation: () => ResolvedOperation, code: AdapterErrorCode, pointer: string][] =
  [
    ['a recipient of the wrong length', () => transfer('0x12'), 'invalid-argument', '/recipient/resource'],
    [
      'a recipient with a wrong checksum',
      () => transfer('0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266'),
      'invalid-argument',
      '/recipient/resource',
    ],
    ['an amount beyond 2^256', () => transfer(other, 1n << 256n), 'invalid-argument', '/amount'],
    [
      'data with half a byte',
      () => transfer(other, 1n, { data: '0xabc' }),
      'invalid-argument',
      '/native/data',
    ],
    ['another sender', () => transfer(other, 1n, native({ from: other })), 'wrong-sender', '/native/from'],
    ['another chain', () => transfer(other, 1n, native({ chainId: 1n })), 'wrong-chain', '/native/chainId'],
    [
      'meta of another technology',
      () => transfer(other, 1n, { native: { technology: 'hyperledger-fabric', content: {} } }),
      'invalid-argument',
      '/native',
    ],
    [
      'a nonce beyond 2^64',
      () => transfer(other, 1n, native({ nonce: 1n << 64n })),
      'invalid-argument',
      '/native/nonce',
    ],
    [
      'a gas price in addition to an EIP-1559 fee',
      () => transfer(other, 1n, native({ gasPrice: 1n, maxFeePerGas: 1n })),
      'invalid-argument',
      '/native/gasPrice',
    ],
    [
      'a tip above the maximum',
      () => transfer(other, 1n, native({ maxFeePerGas: gwei, maxPriorityFeePerGas: 2n * gwei })),
      'invalid-argument',
      '/native/maxPriorityFeePerGas',
    ],
    [
      'a wrong address in the access list',
      () => transfer(other, 1n, native({ accessList: [{ address: '0x1', storageKeys: [] }] })),
      'invalid-argument',
      '/native/accessList/0/address',
    ],
    [
      'a short storage key',
      () => transfer(other, 1n, native({ accessList: [{ address: other, storageKeys: ['0x1'] }] })),
      'invalid-argument',
      '/native/accessList/0/storageKeys/0',
    ],
    [
      'a call to the zero address',
      () => call(`0x${'0'.repeat(40)}`, 'set', ['1']),
      'invalid-argument',
      '/contract_instance/resource',
    ],
    [
      'a call to an address without a contract',
      () => call(other, 'set', ['1']),
      'unknown-contract',
      '/contract_instance/resource',
    ],
    ['an unknown method', () => call(fixture, 'nothing'), 'unknown-method', '/method_name'],
    ['an ambiguous method', () => call(fixture, 'overloaded', ['1']), 'ambiguous-method', '/method_name'],
    ['a wrong count of arguments', () => call(fixture, 'set', ['1', '2']), 'invalid-argument', '/args'],
    [
      'an argument out of range',
      () => call(fixture, 'set', [String(1n << 256n)]),
      'invalid-argument',
      '/args/0',
    ],
    [
      'an argument deep inside',
      () => call(fixture, 'keep', ['{"label":"a","points":[{"x":"no","y":1}]}', '[]']),
      'invalid-argument',
      '/args/0/points/0/x',
    ],
    [
      'ether for a method that is not payable',
      () => call(fixture, 'set', ['1'], { value: 1n }),
      'invalid-argument',
      '/native/value',
    ],
    [
      'an interface that is not JSON',
      () => call(fixture, 'set', ['1'], { contract: { address: fixture, interface: '{' } }),
      'invalid-argument',
      '/contract_instance/interface',
    ],
    [
      'a bare name without an interface',
      () => call(fixture, 'set', ['1'], { contract: { address: fixture } }),
      'unknown-method',
      '/method_name',
    ],
    ['a wrong constructor argument', () => deployment({ args: ['x', 'x'] }), 'invalid-argument', '/args/0'],
    [
      'code with libraries that are not linked',
      () => deployment({ source: { interface: '[]', code: '0x60__$1234$__' }, args: [] }),
      'invalid-argument',
      '/contract_source/resource',
    ],
    [
      'a deployment without a source',
      () => ({ type: 'contract_deploy', args: [], value: 0n, native: ethereum }),
      'invalid-argument',
      '/contract_source',
    ],
  ];

test.each(refusals)(
  'check() rejects %s and reports its JSON pointer',
  async (_, operation, code, pointer) => {
    await expect(actor.session.check({ wallet: actor.wallet, operation: operation() })).rejects.toMatchObject(
      {
        problem: { code, phase: 'check', issues: [{ pointer }] },
      },
    );
  },
);

test('a transfer is ready immediately with exact gas, but a call or a deployment needs an estimate first', async () => {
  const { session, wallet } = actor;
  const plain = await session.check({ wallet, operation: transfer(other, 5n) });
  expect(plain).toMatchObject({ readiness: 'ready', recipients: [other], plan: { gas: '21000' } });
  expect(plain.cost).toBe(5n + 21_000n * BigInt(String(plain.plan.maxFeePerGas)));
  const zero = await session.check({ wallet, operation: transfer(`0x${'0'.repeat(40)}`) });
  expect(zero.readiness).toBe('ready');
  const own = await session.check({ wallet, operation: transfer(wallet.address.toLowerCase()) });
  expect(own.recipients).toEqual([]);
  const paid = await session.check({ wallet, operation: call(fixture, 'setPayable', ['1'], { value: 9n }) });
  expect(paid).toMatchObject({ readiness: 'estimate', recipients: [fixture], cost: 9n });
  expect(await session.check({ wallet, operation: deployment({}) })).toMatchObject({
    readiness: 'estimate',
    recipients: [],
    cost: 0n,
  });
  const given = await session.check({
    wallet,
    operation: call(fixture, 'set', ['1'], native({ gasLimit: 99_999n })),
  });
  expect(given).toMatchObject({ readiness: 'ready', plan: { gas: '99999' } });
});

test('the gas computed for a transfer with data and an access list suffices to mine it', async () => {
  const accessList = [{ address: fixture, storageKeys: [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] }];
  const operation = transfer(other, 1n, { data: `0x${'00ff'.repeat(300)}`, ...native({ accessList }) });
  expect((await actor.session.check({ wallet: actor.wallet, operation })).readiness).toBe('ready');
  expect(await execute(actor, operation)).toHaveProperty('status', 'succeeded');
});

test('only the no-op exceeds the user’s maximum fee, by at most a quarter', async () => {
  await withProperties({ presigned_replacements: true }, async (own) => {
    const { attempts } = await sign(
      own,
      transfer(other, 0n, native({ maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei })),
    );
    expect(attempts.map(({ kind, cost }) => [kind, cost])).toEqual([
      ['main', 63_000n * gwei],
      ['noop', (21_000n * 3n * gwei * 5n) / 4n],
    ]);
    expect(new Set(attempts.map(({ txId }) => txId)).size).toBe(2);
  });
});

test("each replacement signed in advance offers more than the previous one, and none exceeds the ledger's cap", async () => {
  await withProperties(
    { presigned_replacements: true, max_bumps: 5, max_fee_cap: String(6n * gwei) },
    async (own) => {
      const { attempts } = await sign(own, transfer(other, 0n));
      const costs = attempts.map(({ cost }) => cost);
      expect(attempts.length).toBeGreaterThan(2);
      expect(costs.every((cost) => cost <= 21_001n * 6n * gwei)).toBe(true);
      expect(costs).toEqual(costs.toSorted((a, b) => (a < b ? -1 : 1)));
    },
  );
});

test('an estimate waits instead of failing if the current fee is above the fee cap', async () => {
  await withProperties({ max_fee_cap: 1 }, async ({ session, wallet }) => {
    const checked = await session.check({ wallet, operation: transfer(other) });
    expect(checked.readiness).toBe('estimate');
    const [estimated] = await session.estimate([{ wallet, plan: checked.plan, minHeight: 0 }]);
    expect(estimated).toMatchObject({
      status: 'wait',
      problem: { code: 'fee-above-cap', phase: 'estimate' },
    });
    await expect(
      session.check({ wallet, operation: transfer(other, 1n, native({ gasPrice: 2n })) }),
    ).rejects.toMatchObject({
      code: 'fee-above-cap',
    });
    expect(
      await session.prepare([{ actionId: 'a', wallet, plan: checked.plan, sequence: 0n }]),
    ).toMatchObject([{ status: 'failed', problem: { code: 'invalid-argument' } }]);
  });
});

test('a ledger with legacy fees signs legacy transactions, and rejects EIP-1559 fees', async () => {
  await withProperties({ fee_mode: 'legacy' }, async (own) => {
    const { main } = await sign(own, transfer(other));
    expect(main.bytes[0]).toBeGreaterThan(0xc0);
    expect(await execute(own, transfer(other))).toHaveProperty('status', 'succeeded');
    const operation = transfer(other, 1n, native({ maxFeePerGas: gwei }));
    await expect(own.session.check({ wallet: own.wallet, operation })).rejects.toMatchObject({
      problem: { issues: [{ pointer: '/native/maxFeePerGas' }] },
    });
  });
});

test('estimates transfers on chains with unusual transfer costs, and uses the estimated gas for the no-op', async () => {
  await withProperties({ transfer_gas: 'estimate', presigned_replacements: true }, async (own) => {
    const { session, wallet } = own;
    expect((await session.check({ wallet, operation: transfer(other) })).readiness).toBe('estimate');
    expect(await execute(own, transfer(other))).toHaveProperty('status', 'succeeded');
  });
});

test('calls an unregistered contract by signature or with raw data, and returns raw results', async () => {
  const { session } = actor;
  const contract = { address: fixture };
  expect(await execute(actor, call(fixture, 'set(uint256)', ['99'], { contract }))).toHaveProperty(
    'status',
    'succeeded',
  );
  const raw = await session.emulate({ operation: call(fixture, 'value()', [], { contract }) });
  expect(raw.result).toBe(`0x${(99).toString(16).padStart(64, '0')}`);
  const { method: _, ...bare } = call(fixture, '', [], { contract, data: '0x3fa4f245' });
  expect((await session.emulate({ operation: bare })).result).toBe(raw.result);
});

test('emulation decodes tuples, arrays and several outputs as JSON', async () => {
  const { session } = actor;
  const line = '{"label":"a","points":[{"x":"-5","y":6}]}';
  const args = [line, '["0x01020304","0xffffffff"]', 'true'];
  expect((await session.emulate({ operation: call(fixture, 'line', args) })).result).toEqual([
    { label: 'a', points: [{ x: '-5', y: '6' }] },
    ['0x01020304', '0xffffffff'],
    true,
  ]);
  expect((await session.emulate({ operation: call(fixture, 'two') })).result).toEqual({
    amount: expect.stringMatching(/^\d+$/),
    account: fixture,
  });
  expect(await execute(actor, call(fixture, 'keep', [line, `["${other}"]`]))).toHaveProperty(
    'status',
    'succeeded',
  );
});

test('finds a contract deployed after its address was first checked', async () => {
  const { session, wallet } = actor;
  const address = `0x${'c0de'.repeat(10)}`;
  const operation = call(address, 'set', ['5']);
  await expect(session.check({ wallet, operation })).rejects.toMatchObject({ code: 'unknown-contract' });
  await node.rpc('anvil_setCode', [address, await node.rpc('eth_getCode', [fixture, 'latest'])]);
  expect(await session.check({ wallet, operation })).toHaveProperty('plan');
});

test('emulating with a wallet returns gas and fee, including for transfers and deployments', async () => {
  const { session, wallet } = actor;
  for (const operation of [transfer(other), deployment({}), call(fixture, 'set', ['5'])]) {
    const emulated = await session.emulate({ wallet, operation });
    expect(emulated.result).toBeNull();
    expect(emulated.fee).toBeGreaterThan(0n);
    expect(Number(emulated.figures?.gas)).toBeGreaterThanOrEqual(21_000);
  }
  await expect(session.emulate({ operation: call(other, 'value') })).rejects.toMatchObject({
    code: 'unknown-contract',
    phase: 'emulate',
  });
  await expect(session.emulate({ wallet, operation: transfer(other, 10n ** 30n) })).rejects.toMatchObject({
    code: 'insufficient-funds',
  });
});

test('a lookup returns PENDING for a pooled transaction, and null for an unknown or malformed id', async () => {
  const manual = await startAnvil({ mining: 'manual' });
  try {
    const own = await openSession(ledgerOf([manual.url]), keyOf(manual));
    const { main } = await sign(own, transfer(other));
    expect(await own.session.lookup(main.txId)).toBeNull();
    await own.session.submit([main]);
    expect(await own.session.lookup(main.txId)).toMatchObject({
      ...{ txId: main.txId, status: 'PENDING', sequence: 0n, effect: { to: other, value: '1', data: '0x' } },
    });
    await manual.rpc('evm_mine');
    expect(await own.session.lookup(main.txId.toUpperCase().replace('0X', '0x'))).toMatchObject({
      status: 'SUCCEEDED',
      height: 1,
      receipt: { transactionHash: main.txId },
    });
    expect(await own.session.lookup('no hash')).toBeNull();
    await own.session.close();
  } finally {
    await manual.stop();
  }
});

test('creates a wallet from its public key in one round, without parameters', async () => {
  const { session, signer, wallet } = actor;
  expect(wallet).toEqual({ address: node.accounts[0]?.address });
  await expect(
    session.createWallet({ walletId: 'w', publicKey: signer.publicKey, parameters: { colour: 'red' } }),
  ).rejects.toMatchObject({
    problem: { code: 'invalid-argument', phase: 'wallet', issues: [{ pointer: '/parameters/colour' }] },
  });
});

test('rejects a ledger without nodes or with an invalid address, and reports the reason', async () => {
  await expect(openSession(ledgerOf([]), keyOf(node))).rejects.toMatchObject({
    code: 'invalid-argument',
    phase: 'open',
  });
  await expect(openSession(ledgerOf(['ftp://user:secret@host']), keyOf(node))).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.not.stringContaining('secret'),
  });
});

test('an estimate succeeds even if one of the nodes behind a shared address lacks the block', async () => {
  const proxy = await startProxy(node.url);
  const own = await openSession(ledgerOf([proxy.url], { chain_id: 31337 }), keyOf(node));
  try {
    const { session, wallet } = own;
    const { plan } = await session.check({ wallet, operation: call(fixture, 'set', ['9']) });
    const { height: minHeight } = (await session.confirm({ cursor: null, pending: new Map() })).head;
    // One node returns the newest block; another one, which is a block behind, estimates gas.
    proxy.setFault(async (calls, forward) => {
      if (!calls.some(({ method }) => method === 'eth_estimateGas')) return undefined;
      const [first] = calls;
      const answers = [JSON.parse(await forward())].flat().map((answer: { id: number }) => {
        const method = calls.find(({ id }) => id === answer.id)?.method;
        const one = { jsonrpc: '2.0', id: answer.id };
        if (method === 'eth_estimateGas')
          return { ...one, error: { code: 3, message: 'execution reverted' } };
        return method === 'eth_blockNumber'
          ? { ...one, result: `0x${(minHeight - 1).toString(16)}` }
          : answer;
      });
      return JSON.stringify(calls.length === 1 && first !== undefined ? answers[0] : answers);
    });
    expect(await session.estimate([{ wallet, plan, minHeight }])).toMatchObject([
      { status: 'wait', problem: { code: 'unavailable' } },
    ]);
    expect(await session.estimate([{ wallet, plan, minHeight: 0 }])).toMatchObject([
      { status: 'failed', problem: { code: 'reverted' } },
    ]);
    proxy.setFault(undefined);
    expect(await session.estimate([{ wallet, plan, minHeight }])).toMatchObject([{ status: 'ready' }]);
  } finally {
    await own.session.close();
    await proxy.close();
  }
});

test('an estimate fails if its plan was made for another chain', async () => {
  const { session, wallet } = actor;
  const { plan } = await session.check({ wallet, operation: transfer(other) });
  const [estimated] = await session.estimate([{ wallet, plan: { ...plan, chainId: '1' }, minHeight: 0 }]);
  expect(estimated).toMatchObject({ status: 'failed', problem: { code: 'wrong-chain', issues: [{}] } });
});

import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { intrinsicGas } from '../src/gas/intrinsic-gas.ts';
import { startProxy } from './proxy.ts';
import {
  call,
  contracts,
  deploy,
  ethereumWith,
  execute,
  keyOf,
  ledgerOf,
  openSession,
  sign,
  type TestSession,
  transfer,
} from './stage.ts';

const other = '0x000000000000000000000000000000000000bEEF';
const native = (content: object) => ({ native: ethereumWith(content) });
const hex = (byte: string, count: number) => `0x${byte.repeat(count)}`;
/** 36 bytes, for which the floor price is 21,510. */
const floored = `0x${'ff'.repeat(5)}${'00'.repeat(31)}`;
const list = (addresses: number, keys = 0) =>
  Array.from({ length: addresses }, (_, index) => ({
    address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    storageKeys: Array.from({ length: keys }, (_, key) => `0x${key.toString(16).padStart(64, '0')}`),
  }));
/** Code that deploys one zero byte and ignores the bytes after it. */
const initCode = (bytes: number) => `0x60016000f3${'00'.repeat(bytes - 5)}`;
const bare = (data: string, more: object = {}): ResolvedOperation => ({
  type: 'contract_deploy',
  args: [],
  data,
  value: 0n,
  ...native(more),
});

let node: Anvil;
let actor: TestSession;
let fixture: string;

beforeAll(async () => {
  node = await startAnvil({ gasLimit: 30_000_000 });
  actor = await openSession(ledgerOf([node.url], { chain_id: 31337 }), keyOf(node));
  fixture = await deploy(actor, contracts.Fixture, ['7', 'hello']);
});
afterAll(async () => {
  await actor?.session.close();
  await node?.stop();
});

const check = ({ session, wallet }: TestSession, operation: ResolvedOperation) =>
  session.check({ wallet, operation });

/** Runs a test on a separate node. */
async function onNode(
  { fork, properties = {} }: { fork?: string; properties?: Record<string, string | number> },
  run: (own: TestSession, anvil: Anvil) => Promise<void>,
): Promise<void> {
  const anvil = await startAnvil(fork === undefined ? {} : { extraArgs: ['--hardfork', fork] });
  const own = await openSession(ledgerOf([anvil.url], properties), keyOf(anvil));
  try {
    await run(own, anvil);
  } finally {
    await own.session.close();
    await anvil.stop();
  }
}

describe('intrinsic gas', () => {
  const tooLittle: [what: string, operation: () => ResolvedOperation, least: bigint][] = [
    ['a transfer', () => transfer(other, 1n, native({ gasLimit: 20_999n })), 21_000n],
    [
      'data that needs more gas by the floor price',
      () => transfer(other, 1n, { data: floored, ...native({ gasLimit: 21_500n }) }),
      21_510n,
    ],
    [
      'an access list',
      () => transfer(other, 1n, native({ gasLimit: 60_000n, accessList: list(120) })),
      309_000n,
    ],
    ['creation code', () => bare(initCode(1000), { gasLimit: 56_000n }), 57_112n],
    ['a call', () => call(fixture, 'set', ['1'], native({ gasLimit: 21_000n })), 21_510n],
    [
      'a call to a contract that is not deployed yet',
      () => ({
        ...call(fixture, 'set', ['1'], native({ gasLimit: 21_000n })),
        contract: { address: null, interface: contracts.Fixture.interface },
      }),
      21_510n,
    ],
  ];

  test.each(tooLittle)(
    'rejects %s with too little gas, and reports the minimum',
    async (_, operation, least) => {
      await expect(check(actor, operation())).rejects.toMatchObject({
        problem: {
          code: 'out-of-gas',
          phase: 'check',
          detail: expect.stringContaining(`at least ${least}`),
          issues: [{ pointer: '/native/gasLimit' }],
          data: { least: String(least) },
        },
      });
    },
  );

  test('a node mines a transaction with exactly the minimum gas, but not with one gas less', async () => {
    const contents: { data: string; accessList: ReturnType<typeof list> | undefined }[] = [
      { data: floored, accessList: undefined },
      { data: hex('ff', 400), accessList: list(2, 3) },
      { data: '0x', accessList: list(120) },
    ];
    for (const { data, accessList } of contents) {
      const least = intrinsicGas({ creation: false, data, accessList }, { initCode: true, floor: true });
      const withGas = (gasLimit: bigint) =>
        transfer(other, 1n, { data, ...native({ gasLimit, ...(accessList && { accessList }) }) });
      await expect(check(actor, withGas(least - 1n))).rejects.toHaveProperty('code', 'out-of-gas');
      expect(await execute(actor, withGas(least))).toMatchObject({ status: 'succeeded' });
      const said = node.rpc('eth_call', [
        {
          ...{ from: actor.wallet.address, to: other, data, gas: `0x${(least - 1n).toString(16)}` },
          ...(accessList && { accessList }),
        },
      ]);
      await expect(said).rejects.toThrow('intrinsic gas');
    }
  });

  test('charges creation code per word, like a real node', async () => {
    const data = initCode(1000);
    const least = intrinsicGas(
      { creation: true, data, accessList: undefined },
      { initCode: true, floor: true },
    );
    await expect(check(actor, bare(data, { gasLimit: least - 1n }))).rejects.toHaveProperty(
      'code',
      'out-of-gas',
    );
    expect(await check(actor, bare(data, { gasLimit: least }))).toHaveProperty('readiness', 'ready');
  });

  test('applies only the gas rules that the node’s configuration contains', async () => {
    const operation = transfer(other, 1n, { data: floored, ...native({ gasLimit: 21_300n }) });
    await onNode({ fork: 'cancun' }, async (own) => {
      expect(await execute(own, operation)).toHaveProperty('status', 'succeeded');
      const less = transfer(other, 1n, { data: floored, ...native({ gasLimit: 21_203n }) });
      await expect(check(own, less)).rejects.toMatchObject({ problem: { data: { least: '21204' } } });
    });
    await onNode({ fork: 'london' }, async (own) => {
      const data = initCode(1000);
      const gasLimit = intrinsicGas(
        { creation: true, data, accessList: undefined },
        { initCode: false, floor: false },
      );
      expect(await check(own, bare(data, { gasLimit }))).toHaveProperty('readiness', 'ready');
      await expect(check(own, bare(data, { gasLimit: gasLimit - 1n }))).rejects.toHaveProperty(
        'code',
        'out-of-gas',
      );
    });
  });

  test('applies the strictest gas rules if neither the block header nor the node reports any', async () => {
    const proxy = await startProxy(node.url);
    const own = await openSession(ledgerOf([proxy.url]), keyOf(node));
    try {
      proxy.setFault(async (calls, forward) => {
        const answers = [JSON.parse(await forward())]
          .flat()
          .map((answer: { id: number; result?: object }) => {
            const method = calls.find(({ id }) => id === answer.id)?.method;
            const { id } = answer;
            if (method === 'eth_config') {
              return {
                jsonrpc: '2.0',
                id,
                error: { code: -32601, message: 'the method eth_config does not exist' },
              };
            }
            if (method === 'eth_getBlockByNumber' && answer.result) {
              const {
                requestsHash: _,
                withdrawalsRoot: __,
                ...header
              } = answer.result as Record<string, unknown>;
              return { ...answer, result: header };
            }
            return answer;
          });
        return JSON.stringify(calls.length === 1 ? answers[0] : answers);
      });
      const operation = transfer(other, 1n, { data: floored, ...native({ gasLimit: 21_509n }) });
      await expect(check(own, operation)).rejects.toMatchObject({ problem: { data: { least: '21510' } } });
    } finally {
      await own.session.close();
      await proxy.close();
    }
  });

  test('on a chain with its own gas rules, the node decides whether the gas is too low', async () => {
    await onNode({ properties: { transfer_gas: 'estimate' }, fork: 'cancun' }, async (own) => {
      const withGas = (gasLimit: bigint) => transfer(other, 1n, { data: floored, ...native({ gasLimit }) });
      await expect(check(own, withGas(21_100n))).rejects.toMatchObject({
        problem: {
          code: 'out-of-gas',
          detail: expect.stringContaining('Error from the node: intrinsic gas'),
          issues: [{ pointer: '/native/gasLimit' }],
        },
      });
      expect(await execute(own, withGas(21_204n))).toHaveProperty('status', 'succeeded');
    });
  });

  test('raises a gas estimate to the EIP-7623 floor, because a node may have older rules', async () => {
    const proxy = await startProxy(node.url);
    const own = await openSession(ledgerOf([proxy.url]), keyOf(node));
    try {
      proxy.setFault(async (calls, forward) => {
        const answers = [JSON.parse(await forward())].flat().map((answer: { id: number }) => {
          const method = calls.find(({ id }) => id === answer.id)?.method;
          return method === 'eth_estimateGas' ? { ...answer, result: '0x5208' } : answer;
        });
        return JSON.stringify(calls.length === 1 ? answers[0] : answers);
      });
      const { plan } = await check(own, call(fixture, 'set', ['1']));
      const [estimated] = await own.session.estimate([{ wallet: own.wallet, plan, minHeight: 0 }]);
      expect(estimated).toMatchObject({ status: 'ready', plan: { gas: '21510' } });
    } finally {
      await own.session.close();
      await proxy.close();
    }
  });
});

describe('maximum gas', () => {
  test('rejects a gas limit above the limit of the newest block', async () => {
    await onNode({}, async (own, anvil) => {
      const withGas = (gasLimit: bigint) => transfer(other, 1n, native({ gasLimit }));
      await expect(check(own, withGas(1_000_000_001n))).rejects.toMatchObject({
        problem: { code: 'refused', issues: [{ pointer: '/native/gasLimit' }], data: { most: '1000000000' } },
      });
      await anvil.rpc('evm_setBlockGasLimit', ['0xf4240']);
      await anvil.rpc('anvil_mine', ['0x2']);
      await expect(check(own, withGas(1_000_001n))).resolves.toBeDefined();
    });
  });

  test("rejects a gas limit above the maximum for one transaction, if the node's configuration contains that maximum", async () => {
    const withGas = (gasLimit: bigint) => transfer(other, 1n, native({ gasLimit }));
    expect(await check(actor, withGas(16_777_216n))).toHaveProperty('readiness', 'ready');
    await expect(check(actor, withGas(16_777_217n))).rejects.toMatchObject({
      problem: { code: 'refused', data: { most: '16777216' } },
    });
    await onNode({ fork: 'prague' }, async (own) => {
      expect(await check(own, withGas(16_777_217n))).toHaveProperty('readiness', 'ready');
    });
    await onNode({ properties: { max_transaction_gas: 20_000_000 } }, async (own) => {
      expect(await check(own, withGas(20_000_000n))).toHaveProperty('readiness', 'ready');
      await expect(check(own, withGas(20_000_001n))).rejects.toHaveProperty('code', 'refused');
    });
  });

  test('an action waits until the block gas limit is high enough for its transaction', async () => {
    await onNode({}, async (own, anvil) => {
      const { plan } = await check(own, transfer(other, 1n, native({ gasLimit: 5_000_000n })));
      await anvil.rpc('evm_setBlockGasLimit', ['0xf4240']);
      await anvil.rpc('anvil_mine', ['0x2']);
      const request = { wallet: own.wallet, plan, minHeight: 0 };
      const estimated = () => own.session.estimate([request]);
      // The session may use a head that it read before.
      await expect
        .poll(estimated)
        .toMatchObject([
          { status: 'wait', problem: { detail: expect.stringContaining('needs 5000000 gas') } },
        ]);
      await anvil.rpc('evm_setBlockGasLimit', ['0x1c9c380']);
      await anvil.rpc('anvil_mine', ['0x2']);
      await expect.poll(estimated).toMatchObject([{ status: 'ready' }]);
    });
  });
});

describe('maximum bytes', () => {
  test('rejects creation code above the node’s maximum length, with and without a gas limit', async () => {
    for (const more of [{}, { gasLimit: 10_000_000n }]) {
      await expect(check(actor, bare(initCode(50_001), more))).rejects.toMatchObject({
        problem: {
          code: 'refused',
          detail: expect.stringMatching(/50001 bytes of creation code.*49152.*max initcode size exceeded/s),
          issues: [{ pointer: '/native/data' }],
        },
      });
      expect(await check(actor, bare(initCode(49_152), more))).toHaveProperty('plan');
    }
  });

  test('accepts long creation code on a chain that allows it', async () => {
    await onNode({ fork: 'london' }, async (own) => {
      const operation = bare(initCode(50_001), { gasLimit: 10_000_000n });
      expect(await execute(own, operation)).toHaveProperty('status', 'succeeded');
    });
  });

  const encoded = async (operation: ResolvedOperation) => (await sign(actor, operation)).main.bytes.length;

  test('measures the length of the whole transaction, including arguments and access list', async () => {
    const most = 131_072;
    const withData = (bytes: number) =>
      transfer(other, 1n, { data: hex('00', bytes), ...native({ gasLimit: 5_000_000n }) });
    expect(await encoded(withData(most - 204))).toBeLessThanOrEqual(most);
    await expect(check(actor, withData(most - 203))).rejects.toMatchObject({
      problem: { code: 'refused', issues: [{ pointer: '/native/data' }] },
    });
    await expect(check(actor, withData(most + 1))).rejects.toHaveProperty('code', 'refused');
    await expect(
      check(actor, call(fixture, 'failWithText', ['x'.repeat(140_000)], native({ gasLimit: 10_000_000n }))),
    ).rejects.toMatchObject({ problem: { code: 'refused', issues: [{ pointer: '/args' }] } });
    const listed = transfer(other, 1n, native({ gasLimit: 16_000_000n, accessList: list(16, 256) }));
    await expect(check(actor, listed)).rejects.toMatchObject({
      problem: { code: 'refused', issues: [{ pointer: '/native/accessList' }] },
    });
    const fewer = transfer(other, 1n, native({ gasLimit: 16_000_000n, accessList: list(15, 256) }));
    expect(await encoded(fewer)).toBeLessThanOrEqual(most);
  });
});

test('rejects an operation whose maximum cost exceeds the largest possible balance', async () => {
  const most = (1n << 256n) - 1n;
  await expect(check(actor, transfer(other, most))).rejects.toMatchObject({
    problem: { code: 'refused', detail: expect.stringContaining('more than any account can hold') },
  });
  const { session, wallet } = actor;
  const { plan } = await check(actor, call(fixture, 'setPayable', ['1'], { value: most }));
  const [estimated] = await session.estimate([{ wallet, plan: { ...plan, gas: '100000' }, minHeight: 0 }]);
  expect(estimated).toMatchObject({ status: 'failed', problem: { code: 'refused' } });
});

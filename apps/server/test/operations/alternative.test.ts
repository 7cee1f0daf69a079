import { invalidRequest } from '@ledger-ops/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractCallRequest } from '../../src/routes/contracts/contract-arguments.ts';
import { type Ground, makeServer, openGround, problemOf } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const options = {
  service: { walletId: 'alice', walletPassword: 'correct horse', dependencies: [], intent: null, tag: 't' },
  plugin: '',
};
const locator = { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' };

describe('a contract call as {contractId, method, params}', () => {
  const path = '/v1/ledger-ops/contract-call';
  const body = (change: object = {}) => ({
    contractId: 'c1',
    method: 'set',
    options,
    params: [{ value: 7 }],
    ...change,
  });

  test('a contract call as {contractId, method, params} is converted to the same GLO as a send', async () => {
    const { call, runtime } = makeServer(ground);
    const params = [{ value: 'text' }, { value: 7 }, { value: true }, { value: [1, 'a'] }];
    expect((await call('POST', path, body({ params }))).status).toBe(201);
    expect(runtime.sent[0]?.request).toMatchObject({
      walletId: 'alice',
      tag: 't',
      glo: {
        version: '0.1.0',
        type: 'contract_call',
        options: {
          contractInstance: { type: 'service', resource: 'c1' },
          methodName: 'set',
          args: ['text', '7', 'true', '[1,"a"]'],
        },
      },
    });
    expect(runtime.sent[0]?.request).not.toHaveProperty('pluginId');
  });

  test('a contract call as {contractId, method, params} keeps the plugin id of the request', async () => {
    const { call, runtime } = makeServer(ground);
    await call('POST', path, body({ options: { ...options, plugin: 'p1' } }));
    expect(runtime.sent[0]?.request.pluginId).toBe('p1');
  });

  test.each([
    [
      'no password',
      { options: { service: { ...options.service, walletPassword: undefined } } },
      '/options/service/walletPassword',
    ],
    [
      'no wallet',
      { options: { service: { ...options.service, walletId: undefined } } },
      '/options/service/walletId',
    ],
    ['no options', { options: undefined }, '/options'],
    ['both forms of params', { params: [{ value: 1 }, { name: 'x', value: 1 }] }, '/params/1'],
    [
      'a name twice',
      {
        params: [
          { name: 'x', value: 1 },
          { name: 'x', value: 1 },
        ],
      },
      '/params/1/name',
    ],
    ['a param without a value', { params: [{}] }, '/params/0/value'],
    ['a null', { params: [{ value: null }] }, '/params/0/value'],
    ['a fraction', { params: [{ value: 1.5 }] }, '/params/0/value'],
    ['an unknown member', { extra: 1 }, '/extra'],
  ])('a contract call with %s is refused with a pointer to the fault', async (_what, change, pointer) => {
    const { call, runtime } = makeServer(ground);
    const response = await call('POST', path, body(change));
    expect(response.status).toBe(400);
    expect((await problemOf(response)).errors?.map((issue) => issue.pointer)).toContain(pointer);
    expect(runtime.sent).toEqual([]);
  });

  test('if the GLO made from {contractId, method, params} is invalid, the pointer refers to the original request body', async () => {
    const { call, runtime } = makeServer(ground);
    runtime.failWith(invalidRequest([{ pointer: '/glo/options/args/0', detail: 'is out of range' }]));
    const problem = await problemOf(await call('POST', path, body()));
    expect(problem).toMatchObject({
      detail: '/params/0/value: is out of range',
      errors: [{ pointer: '/params/0/value', detail: 'is out of range' }],
    });
  });

  const input = (name: string, type: string) => ({ name, type });
  const method = (signature: string, inputs: { name: string; type: string }[]) => ({
    name: signature.split('(')[0] ?? '',
    signature,
    view: false,
    inputs,
    outputs: [],
  });
  const contracts = {
    methods: async () => [
      method('set(address,uint256)', [input('to', 'address'), input('amount', 'uint256')]),
      method('set(uint256)', [input('amount', 'uint256')]),
      method('set(bytes)', [input('amount', 'bytes')]),
    ],
  };
  const named = (...names: string[]) => names.map((name) => ({ name, value: name }));
  const read = (params: { name: string; value: unknown }[], wanted = 'set') =>
    contractCallRequest(contracts, ground.caller.principal, {
      contractId: 'c1',
      method: wanted,
      options,
      params,
    });

  test('named parameters select the method whose parameters have the same names, and are passed in the method’s order', async () => {
    const { glo, pointers } = await read(named('amount', 'to'));
    expect(glo.options).toMatchObject({ methodName: 'set(address,uint256)', args: ['to', 'amount'] });
    expect(pointers).toContainEqual(['/glo/options/args/0', '/params/1/value']);
  });

  test('named parameters are rejected if no method or more than one method has parameters with the same names', async () => {
    await expect(read(named('amount'))).rejects.toThrow(/use one of the signatures/);
    await expect(read(named('x'))).rejects.toThrow(/names of the method/);
    await expect(read(named('x'), 'get')).rejects.toThrow(/not a method of the contract/);
    expect((await read(named('amount'), 'set(bytes)')).glo.options).toMatchObject({
      methodName: 'set(bytes)',
    });
  });
});

describe('a ledger call', () => {
  const path = '/v1/ledger-ops/ledger-call';
  const body = (change: object = {}) => ({
    ledgerId: 'dev',
    method: 'transfer',
    options,
    params: [
      { name: 'amount', value: '5' },
      { name: 'recipient', value: locator },
    ],
    ...change,
  });

  test('a ledger call is converted to a GLO, with named or ordered parameters', async () => {
    const { call, runtime } = makeServer(ground);
    await call('POST', path, body());
    await call('POST', path, body({ params: [{ value: locator }, { value: 5 }] }));
    const glo = {
      type: 'transfer',
      options: { recipient: { type: 'service', resource: 'bob' }, amount: 5n },
    };
    expect(runtime.sent.map(({ request }) => request)).toMatchObject([
      { glo, ledgerId: 'dev' },
      { glo, ledgerId: 'dev' },
    ]);
  });

  test('a ledger call deploys a contract and passes meta on', async () => {
    const { call, runtime } = makeServer(ground);
    const meta = {
      ledger: { ethereum: { version: '1', native_transaction_content: { gasLimit: 100_000 } } },
    };
    const params = [
      { name: 'contract_source', value: { ...locator, resource: 'token:1' } },
      { name: 'args', value: ['1'] },
      { name: 'meta', value: meta },
    ];
    expect((await call('POST', path, body({ method: 'contract_deploy', params }))).status).toBe(201);
    expect(runtime.sent[0]?.request.glo).toMatchObject({
      type: 'contract_deploy',
      options: { contractSource: { resource: 'token:1' }, args: ['1'] },
      meta: { ethereum: { content: { gasLimit: '100000' } } },
    });
  });

  test.each([
    ['an unknown method', { method: 'burn' }, '/method'],
    ['no ledgerId', { ledgerId: undefined }, '/ledgerId'],
    ['an unknown param', { params: [{ name: 'to', value: 1 }] }, '/params/0/name'],
    [
      'a wrong amount',
      {
        params: [
          { name: 'recipient', value: locator },
          { name: 'amount', value: '1.5' },
        ],
      },
      '/params/1/value',
    ],
    [
      'a wrong part of the recipient',
      {
        params: [
          { name: 'amount', value: 1 },
          { name: 'recipient', value: { resource: 'x' } },
        ],
      },
      '/params/1/value/lookup_service',
    ],
    ['a missing recipient', { params: [{ name: 'amount', value: 1 }] }, '/params'],
    [
      'too many params',
      { params: [{ value: locator }, { value: 1 }, { value: {} }, { value: 1 }] },
      '/params/3',
    ],
  ])('a ledger call with %s is refused with a pointer to the fault', async (_what, change, pointer) => {
    const { call, runtime } = makeServer(ground);
    const response = await call('POST', path, body(change));
    expect(response.status).toBe(400);
    expect((await problemOf(response)).errors?.map((issue) => issue.pointer)).toContain(pointer);
    expect(runtime.sent).toEqual([]);
  });
});

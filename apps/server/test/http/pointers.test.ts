import { invalidRequest } from '@ledger-ops/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ground, makeServer, openGround, problemOf } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const wallet = { walletId: 'alice', walletPassword: 'correct horse battery staple' };
const ledgerLocator = {
  lookup_service: { type: 'ledger', value: 'ethereum' },
  resource: `0x${'1'.repeat(40)}`,
};
const serviceLocator = { lookup_service: { type: 'service', value: 'service' }, resource: 'token:1' };
const native = {
  ...{ from: `0x${'1'.repeat(40)}`, chainId: 1, nonce: 1, value: '1', gasLimit: 21_000, data: '0x00' },
  ...{ maxFeePerGas: '2', maxPriorityFeePerGas: '1' },
  accessList: [{ address: `0x${'1'.repeat(40)}`, storageKeys: [`0x${'1'.repeat(64)}`] }],
};
const meta = { ledger: { ethereum: { version: '1', native_transaction_content: native } } };
const content = '/glo/meta/ledger/ethereum/native_transaction_content';
/**
 * Pointers into a GLO that adapters, the checks of locators, and the precedence of meta report for any
 * operation.
 */
const inMeta = [
  ...[
    content,
    '/glo/meta/ledger/ethereum',
    `${content}/accessList/0/address`,
    `${content}/accessList/0/storageKeys/0`,
  ],
  ...['from', 'chainId', 'nonce', 'value', 'gasLimit', 'data', 'maxFeePerGas'].map(
    (name) => `${content}/${name}`,
  ),
];
const ofCall = [
  '/glo',
  '/glo/options',
  '/glo/options/contract_instance/resource',
  '/glo/options/method_name',
  '/glo/options/args',
  '/glo/options/args/0',
  '/glo/options/args/1',
];
const ofLocator = ['/glo/options/contract_instance/lookup_service/value'];
const ofTransfer = [
  '/glo',
  '/glo/options/recipient/resource',
  '/glo/options/recipient/lookup_service/value',
  '/glo/options/amount',
];
const ofDeployment = [
  '/glo',
  '/glo/options/contract_source/resource',
  '/glo/options/contract_source/lookup_service/value',
  '/glo/options/args',
  '/glo/options/args/0',
];
const args = ['1', '2'];
const call = { contract_instance: ledgerLocator, method_name: 'set(uint256,uint256)', args };
const canonical = { version: '0.1.0', type: 'contract_call', options: call, meta };
const transfer = {
  ...{ version: '0.1.0', type: 'transfer', meta },
  options: { recipient: ledgerLocator, amount: '1' },
};
const deployment = {
  ...{ version: '0.1.0', type: 'contract_deploy', meta },
  options: { contract_source: serviceLocator, args },
};
const olderCall = { contractInstance: 'c1', methodName: 'set', args };
const withLocator = { ...olderCall, contractInstance: ledgerLocator };
const gateway = { type: 'contract_call', params: olderCall, meta };
const cloud = { type: 'contract_call', options: olderCall, meta };
const actionId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11';
const service = { ...wallet, dependencies: [], intent: null };

type Form = [what: string, path: string, body: Record<string, unknown>, places: string[]];
const gloForms: Form[] = [
  ['send', '/v1/ledger-ops/send', wallet, []],
  ['contract/call', '/v1/ledger-ops/contract/call', wallet, []],
  ['emulate', '/v1/ledger-ops/emulate', { walletId: 'alice' }, []],
  ['gateway', '/v1/gateway/actions', wallet, []],
  [
    'cloud wallet',
    '/v1/cloud-wallet/transactions',
    { actionId, wallet: 'alice', pluginParams: { walletPassword: wallet.walletPassword } },
    [],
  ],
].flatMap(([what, path, body]): Form[] => {
  const with_ = (name: string, glo: object, places: string[]): Form => [
    `${String(what)}, ${name}`,
    String(path),
    { ...(body as object), glo },
    places,
  ];
  const more = what === 'contract/call' ? [] : [with_('a transfer', transfer, [...ofTransfer, ...inMeta])];
  return [
    with_('a call', canonical, [...ofCall, ...ofLocator, ...inMeta]),
    with_('the older form with params', gateway, [...ofCall, ...inMeta]),
    with_('the older form with a locator', { ...gateway, params: withLocator }, [
      ...ofCall,
      ...ofLocator,
      ...inMeta,
    ]),
    with_('the older form with options', cloud, [...ofCall, ...inMeta]),
    with_('options with a locator', { ...cloud, options: withLocator }, [...ofCall, ...ofLocator, ...inMeta]),
    ...more,
    ...more.map(() => with_('a deployment', deployment, [...ofDeployment, ...inMeta])),
  ];
});
const named = (values: Record<string, unknown>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
const forms: Form[] = [
  ...gloForms,
  [
    'a contract call with contractId, method and params',
    '/v1/ledger-ops/contract-call',
    {
      ...{ contractId: 'c1', method: 'set', options: { service, plugin: '' } },
      params: args.map((value) => ({ value })),
    },
    ofCall,
  ],
  [
    'a ledger call to a contract',
    '/v1/ledger-ops/ledger-call',
    { ledgerId: 'dev', method: 'contract_call', options: { service }, params: named({ ...call, meta }) },
    [...ofCall, ...ofLocator, ...inMeta],
  ],
  [
    'a ledger call with parameters in order',
    '/v1/ledger-ops/ledger-call',
    {
      ...{ ledgerId: 'dev', method: 'transfer', options: { service } },
      params: [{ value: ledgerLocator }, { value: '1' }],
    },
    ofTransfer,
  ],
  [
    'a ledger call that deploys',
    '/v1/ledger-ops/ledger-call',
    {
      ...{ ledgerId: 'dev', method: 'contract_deploy', options: { service } },
      params: named({ contract_source: serviceLocator, args, meta }),
    },
    [...ofDeployment, ...inMeta],
  ],
];

/** Whether a JSON Pointer names a value in a document, or a missing member of an object in it. */
function stands(pointer: string, body: unknown): boolean {
  let value = body;
  for (const part of pointer.split('/').slice(1, -1)) {
    if (typeof value !== 'object' || value === null) return false;
    value = Reflect.get(value, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return pointer === '' || (typeof value === 'object' && value !== null);
}

describe('problems point to the fault in the sent body', () => {
  test.each(forms)(
    'problems of %s point to the fault in the sent body',
    async (_what, path, body, places) => {
      const server = makeServer(ground);
      for (const place of places) {
        server.runtime.failWith(invalidRequest([{ pointer: place, detail: 'is wrong' }]));
        const response = await server.call('POST', path, body);
        const problem = await problemOf(response);
        const [issue] = problem.errors ?? [];
        expect([place, response.status, issue?.detail]).toEqual([
          place,
          400,
          expect.stringMatching(/is wrong$/),
        ]);
        expect(stands(issue?.pointer ?? '-', body), `${place} became ${issue?.pointer}`).toBe(true);
        // Messages about the whole document keep their pointer.
        const pointer = issue?.pointer ?? '';
        expect(problem.detail).toBe(`${pointer === '' ? '' : `${pointer}: `}${issue?.detail}`);
      }
    },
  );

  test('a problem names the missing parameter of an ordered list', async () => {
    const { call } = makeServer(ground);
    const body = {
      ledgerId: 'dev',
      method: 'transfer',
      options: { service },
      params: named({ recipient: ledgerLocator }),
    };
    const problem = await problemOf(await call('POST', '/v1/ledger-ops/ledger-call', body));
    expect(problem.errors).toEqual([{ pointer: '/params', detail: 'amount is required' }]);
    expect(problem.detail).toBe('/params: amount is required');
  });

  test('creating a wallet without parameters is refused because the password is missing', async () => {
    const { call } = makeServer(ground);
    for (const pluginParameters of [undefined, {}]) {
      const body = { walletId: 'alice', ledgerId: 'dev', pluginParameters };
      const problem = await problemOf(await call('POST', '/v1/cloud-wallet/wallets', body));
      expect(problem.errors).toEqual([
        { pointer: '/pluginParameters/walletPassword', detail: 'is required' },
      ]);
    }
  });
});

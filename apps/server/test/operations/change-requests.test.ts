// Cancels and hurries actions over HTTP, on a chain with manual mining.
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { systemUid } from '@ledger-ops/auth';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Api,
  addTenant,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  type Texts,
  transferBody,
} from '../stage/api.ts';

const walletPassword = 'correct horse battery staple';
const hour = 3_600;
const wait = { timeout: 30_000 };

let here: Installation;
let tenant: Tenant;
let api: Api;
const fabric = createMemoryLedger({ autoMine: false, sequence: 'none' });
const expiring = createMemoryLedger({ autoMine: false, sequence: 'none', expiry: 1_000, chainId: 7n });
const expiringAdapter = memoryAdapter(expiring, { name: 'expiring', technology: 'expiring' });
const raisesExpired = {
  ...expiringAdapter,
  capabilities: { ...expiringAdapter.capabilities, raisesExpired: true },
};
let wallets = 0;

/** The parts of an action that this test reads. */
type Shown = Record<string, unknown> & { status: string; pending?: { stage: string; detail: string } };

beforeAll(async () => {
  here = await install({}, [
    memoryAdapter(fabric, { name: 'no-sequences', technology: 'hyperledger-fabric' }),
    raisesExpired,
  ]);
  const shared = {
    projectUid: null,
    parentResourceUid: systemUid,
    technology: 'ethereum' as const,
    nodes: [{ uri: here.anvil.url }],
  };
  const properties = { chain_id: 31_337, development: true, polling_interval: 50 };
  await here.server.store.transaction(async (tx) => {
    const { registry } = here.server;
    const add = (ledgerId: string, more: object) =>
      registry.createLedger(tx, {
        ...{ ...shared, ledgerId, name: ledgerId, properties: { ...properties, ...more } },
      });
    await add('patient', { replace_after: hour });
    await add('presigned', { replace_after: hour, presigned_replacements: true });
    await add('never', { replace_after: 0 });
    await registry.createLedger(tx, {
      ...{ ...shared, ledgerId: 'no-nonces', name: 'no-nonces', properties: {} },
      ...{ technology: 'hyperledger-fabric', nodes: [{ uri: 'memory:' }] },
    });
    await registry.createLedger(tx, {
      ...{ ...shared, ledgerId: 'expiring', name: 'expiring', properties: {} },
      ...{ technology: 'expiring', nodes: [{ uri: 'memory:' }] },
    });
  });
  tenant = await addTenant(here.url, here.administrator, 'one');
  ({ api } = tenant);
  await here.anvil.rpc('evm_setIntervalMining', [0]);
}, 180_000);
afterEach(() => here.anvil.rpc('evm_mine', []));
afterAll(() => here.close());

async function addWallet(ledgerId = 'patient'): Promise<string> {
  wallets += 1;
  const walletId = `wallet-${wallets}`;
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId, pluginParameters: { walletPassword } },
  });
  if (ledgerId === 'no-nonces') fabric.fund(walletAddress, 10n ** 18n);
  else if (ledgerId === 'expiring') expiring.fund(walletAddress, 10n ** 18n);
  else await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  return walletId;
}

async function send(walletId: string, to: string, dependencies: string[] = []): Promise<string> {
  const body = { ...transferBody(walletId, to), dependencies };
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
  return actionId;
}

const fresh = () => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
const path = (actionId: string, verb: string) => `/v1/ledger-ops/actions/${actionId}/${verb}`;
const shown = (actionId: string) =>
  api.expect<Shown>(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);
const balance = async (address: string) =>
  BigInt((await here.anvil.rpc('eth_getBalance', [address, 'latest'])) as string);
const mine = () => here.anvil.rpc('evm_mine', []);
const rows = <Row extends Record<string, string | number | null>>(sql: string, given: string[]) =>
  here.server.store.read.all<Row>(sql, given);

/** Fees of the pooled transactions that pay this address. */
async function pooled(): Promise<{ to: string; value: string; fee: bigint }[]> {
  const { pending, queued } = (await here.anvil.rpc('txpool_content', [])) as Record<
    'pending' | 'queued',
    Record<string, Record<string, { to: string; value: string; maxFeePerGas?: string; gasPrice?: string }>>
  >;
  return [...Object.values(pending), ...Object.values(queued)]
    .flatMap((each) => Object.values(each))
    .map(({ to, value, maxFeePerGas, gasPrice = '0' }) => ({
      to,
      value,
      fee: BigInt(maxFeePerGas ?? gasPrice),
    }));
}

async function untilPooled(to: string): Promise<bigint> {
  return await vi.waitFor(async () => {
    const found = (await pooled()).find((one) => one.to === to);
    if (found === undefined) throw new Error('It is not in the pool.');
    return found.fee;
  }, wait);
}

for (const ledgerId of ['patient', 'presigned']) {
  describe(`on a ledger with nonces (${ledgerId})`, () => {
    test('canceling a signed action sends a transaction with its nonce, and later actions of the wallet continue', async () => {
      const walletId = await addWallet(ledgerId);
      const [one, two] = [fresh(), fresh()];
      const id = await send(walletId, one);
      await untilPooled(one);
      const next = await send(walletId, two);
      await untilPooled(two);
      const first = await api.expect<Shown>(202, 'POST', path(id, 'cancel'));
      expect(first.pending?.detail).toContain('Cancellation was requested');
      const again = await api.expect<Shown>(202, 'POST', path(id, 'cancel'), {});
      expect(again).toMatchObject({ status: 'PENDING', actionId: id });
      expect((await shown(id)).pending?.detail).toContain('Cancellation was requested');
      await vi.waitFor(async () => expect((await pooled()).map(({ to }) => to)).not.toContain(one), wait);
      const late = await api.call('POST', path(id, 'hurry'));
      expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('is being canceled')]);
      await mine();
      const end = await ended(api, id);
      expect(end).toMatchObject({ status: 'FAILED', problem: { type: 'urn:ledger-ops:problem:cancelled' } });
      expect((await ended(api, next)).status).toBe('SUCCEEDED');
      expect([await balance(one), await balance(two)]).toEqual([0n, 1n]);
      const afterwards = await api.expect<Shown>(200, 'POST', path(id, 'cancel'));
      expect(afterwards.problem).toEqual(end.problem);
    });

    test('hurrying an action raises its fee immediately, and the action is mined', async () => {
      const walletId = await addWallet(ledgerId);
      const to = fresh();
      const id = await send(walletId, to);
      const before = await untilPooled(to);
      const answer = await api.expect<Shown>(202, 'POST', path(id, 'hurry'));
      expect(answer.pending?.detail).toContain('A higher fee was requested.');
      await vi.waitFor(async () => expect(await untilPooled(to)).toBeGreaterThan(before), wait);
      await mine();
      expect((await ended(api, id)).status).toBe('SUCCEEDED');
      expect(await balance(to)).toBe(1n);
      for (const verb of ['cancel', 'hurry']) {
        const over = await api.call('POST', path(id, verb));
        expect([over.status, over.body.detail]).toEqual([
          409,
          expect.stringContaining('is already SUCCEEDED'),
        ]);
      }
    });
  });
}

test('if no grant is stored, a change request requires the password, and a new grant is stored for the action', async () => {
  const walletId = await addWallet('never');
  const [one, two] = [fresh(), fresh()];
  const ids = [await send(walletId, one), await send(walletId, two)];
  const [hurried = '', cancelled = ''] = ids;
  const before = await untilPooled(one);
  await untilPooled(two);
  for (const [id, verb] of [
    [hurried, 'hurry'],
    [cancelled, 'cancel'],
  ] as const) {
    const asked = await api.call<{ errors: object[] }>('POST', path(id, verb));
    expect([asked.status, asked.body.errors]).toEqual([
      400,
      [
        {
          pointer: '/walletPassword',
          detail: expect.stringContaining('is required, because no key is stored'),
        },
      ],
    ]);
    await api.expect(202, 'POST', path(id, verb), { walletPassword });
  }
  await vi.waitFor(async () => expect(await untilPooled(one)).toBeGreaterThan(before), wait);
  await vi.waitFor(async () => expect((await pooled()).map(({ to }) => to)).not.toContain(two), wait);
  await mine();
  expect((await ended(api, hurried)).status).toBe('SUCCEEDED');
  expect((await ended(api, cancelled)).problem).toMatchObject({
    type: 'urn:ledger-ops:problem:cancelled',
  });
  expect([await balance(one), await balance(two)]).toEqual([1n, 0n]);
});

test("if a hurry request's cap is below the required fee, the pending reason says so and nothing is sent", async () => {
  const walletId = await addWallet();
  const to = fresh();
  const id = await send(walletId, to);
  const before = await untilPooled(to);
  await api.expect(202, 'POST', path(id, 'hurry'), { maxFee: '0x1' });
  await vi.waitFor(
    async () => expect((await shown(id)).pending?.detail).toContain('Its fee cannot be raised now:'),
    wait,
  );
  expect(await untilPooled(to)).toBe(before);
  await api.expect(202, 'POST', path(id, 'hurry'), { maxFee: '1000000000000' });
  await vi.waitFor(async () => expect(await untilPooled(to)).toBeGreaterThan(before), wait);
  await vi.waitFor(
    async () => expect((await shown(id)).pending?.detail).not.toContain('cannot be raised'),
    wait,
  );
  await mine();
  expect((await ended(api, id)).status).toBe('SUCCEEDED');
});

test('canceling an unsigned action fails it and its dependents immediately, and hurrying it is rejected', async () => {
  const walletId = await addWallet();
  const [one, two] = [fresh(), fresh()];
  const first = await send(walletId, one);
  await untilPooled(one);
  const second = await send(walletId, two, [first]);
  const third = await send(walletId, two, [second]);
  const hurried = await api.call('POST', path(second, 'hurry'));
  expect([hurried.status, hurried.body.detail]).toEqual([
    409,
    expect.stringMatching(/is not signed yet.*Waiting for 1 of its dependencies/),
  ]);
  const key = { 'Idempotency-Key': 'once' };
  const answers = [
    await api.call<Shown>('POST', path(second, 'cancel'), {}, key),
    await api.call<Shown>('POST', path(second, 'cancel'), {}, key),
    await api.call<Shown>('POST', path(second, 'cancel')),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'FAILED',
      problem: {
        type: 'urn:ledger-ops:problem:cancelled',
        detail: expect.stringContaining('nothing was sent'),
      },
    });
  }
  expect(answers[1]?.text).toBe(answers[0]?.text);
  expect(await shown(second)).toEqual(answers[2]?.body);
  expect((await ended(api, third)).problem).toMatchObject({
    type: 'urn:ledger-ops:problem:dependency-failed',
  });
  const listed = async (status: string) => {
    const list = `/v1/ledger-ops/actions?wallet=${walletId}&status=${status}`;
    const { actions } = await api.expect<{ actions: Shown[] }>(200, 'GET', list);
    return actions.map(({ actionId }) => actionId);
  };
  expect(await listed('CANCELED')).toEqual([second]);
  expect(await listed('FAILED')).toEqual([third, second]);
  await mine();
  expect((await ended(api, first)).status).toBe('SUCCEEDED');
  const told = await api.expect<Texts[]>(
    ...[
      200,
      'GET',
      '/v1/timeline/services/ledger-operations/actions/cancel?from=2020-01-01T00:00:00Z&size=100',
    ],
  );
  expect(told.filter(({ targetObject }) => targetObject === second)).toMatchObject([
    { identity: tenant.serviceId },
  ]);
});

test('repeating a hurry request with an Idempotency-Key raises the fee only once', async () => {
  const walletId = await addWallet();
  const to = fresh();
  const id = await send(walletId, to);
  await untilPooled(to);
  const key = { 'Idempotency-Key': 'hurry-once' };
  const first = await api.call('POST', path(id, 'hurry'), {}, key);
  const isDone = () => rows('SELECT id FROM action WHERE id = $1 AND change IS NULL', [id]);
  await vi.waitFor(async () => expect(await isDone()).toHaveLength(1), wait);
  const second = await api.call('POST', path(id, 'hurry'), {}, key);
  expect([first.status, second.status, second.text]).toEqual([202, 202, first.text]);
  expect(await isDone()).toHaveLength(1);
  await mine();
  await ended(api, id);
});

test('a change request with a wrong password is rejected without effect, even if no password is required', async () => {
  const walletId = await addWallet();
  const to = fresh();
  const id = await send(walletId, to);
  await untilPooled(to);
  for (const verb of ['cancel', 'hurry']) {
    const answer = await api.call('POST', path(id, verb), { walletPassword: 'wrong' });
    expect([answer.status, answer.body.type]).toEqual([403, 'urn:ledger-ops:problem:wrong-wallet-password']);
  }
  expect(await rows('SELECT change FROM action WHERE id = $1', [id])).toEqual([{ change: null }]);
  for (const maxFee of ['1.5', '-1', '', 'x', '01', 5]) {
    const answer = await api.call('POST', path(id, 'hurry'), { maxFee });
    expect([maxFee, answer.status]).toEqual([maxFee, 400]);
  }
  expect((await api.call('POST', path(id, 'cancel'), { walletPassword })).status).toBe(202);
  await vi.waitFor(async () => expect((await pooled()).map((one) => one.to)).not.toContain(to), wait);
  await mine();
  expect((await ended(api, id)).status).toBe('FAILED');
});

test('a caller that may not use the wallet cannot change its actions or learn that they exist', async () => {
  const walletId = await addWallet();
  const receiver = await addWallet();
  const { walletAddress = '' } = await api.expect(200, 'GET', `/v1/cloud-wallet/wallets/${receiver}`);
  const id = await send(walletId, walletAddress);
  await untilPooled(walletAddress.toLowerCase());
  const other = await addTenant(here.url, here.administrator, 'two');
  const foreign = await other.api.call('GET', `/v1/ledger-ops/search/actions/${id}`);
  const account = await api.expect(201, 'POST', '/v1/service-accounts', {
    ...{ name: 'viewer', accountId: 'viewer', project: { projectID: tenant.projectId } },
  });
  const { apiToken = '' } = await api.expect(201, 'POST', '/v1/service-accounts/viewer/api-tokens');
  await api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    identity: { serviceId: account.serviceId },
    resource: { resourceUUID: tenant.projectUuid },
    role: { name: 'viewer' },
  });
  const viewer = await logIn(here.url, { ...tenant, accountId: 'viewer', apiToken });
  expect((await viewer.call('GET', `/v1/ledger-ops/search/actions/${id}`)).status).toBe(200);
  for (const verb of ['cancel', 'hurry']) {
    const answer = await other.api.call('POST', path(id, verb), { walletPassword });
    expect([answer.status, answer.body.detail]).toEqual([404, foreign.body.detail]);
    const seen = await viewer.call('POST', path(id, verb), { walletPassword });
    expect([seen.status, seen.body.type]).toEqual([403, 'urn:ledger-ops:problem:not-permitted']);
  }
  expect(await rows('SELECT change FROM action WHERE id = $1', [id])).toEqual([{ change: null }]);
  await mine();
  expect((await ended(api, id)).status).toBe('SUCCEEDED');
});

/** Sends a transfer to the wallet itself, on a ledger in memory. */
async function sendInMemory(
  walletId: string,
  technology: string,
  dependencies: string[] = [],
): Promise<string> {
  const { walletAddress = '' } = await api.expect(200, 'GET', `/v1/cloud-wallet/wallets/${walletId}`);
  const { glo, ...rest } = transferBody(walletId, walletAddress);
  const recipient = { lookup_service: { type: 'ledger', value: technology }, resource: walletAddress };
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...{ ...rest, dependencies, glo: { ...glo, options: { ...glo.options, recipient } } },
  });
  return actionId;
}

const changesOf = async (actionId: string) =>
  (await api.expect<{ changes: string[] }>(200, 'GET', `/v1/ledger-ops/actions/${actionId}`)).changes;

test('on a ledger without nonces, only unsigned actions can be canceled, and they fail immediately', async () => {
  const walletId = await addWallet('no-nonces');
  const id = await sendInMemory(walletId, 'hyperledger-fabric');
  const next = await sendInMemory(walletId, 'hyperledger-fabric', [id]);
  await vi.waitFor(async () => expect((await shown(id)).pending?.stage).toBe('signed'), wait);
  expect([await changesOf(id), await changesOf(next)]).toEqual([[], ['cancel']]);
  for (const verb of ['cancel', 'hurry']) {
    const answer = await api.call('POST', path(id, verb));
    expect([answer.status, answer.body.type, answer.body.detail]).toEqual([
      409,
      'urn:ledger-ops:problem:conflict',
      expect.stringContaining('cannot be withdrawn'),
    ]);
  }
  expect((await api.expect<Shown>(200, 'POST', path(next, 'cancel'))).status).toBe('FAILED');
  fabric.mine();
  expect((await ended(api, id)).status).toBe('SUCCEEDED');
});

test('an action whose transaction can expire can be hurried, which raises its next fee, but not canceled', async () => {
  const walletId = await addWallet('expiring');
  const id = await sendInMemory(walletId, 'expiring');
  await vi.waitFor(async () => expect((await shown(id)).pending?.stage).toBe('signed'), wait);
  expect(await changesOf(id)).toEqual(['hurry']);
  await api.expect(202, 'POST', path(id, 'hurry'));
  await vi.waitFor(
    async () => expect((await shown(id)).pending?.detail).toContain('the next one pays a higher fee'),
    wait,
  );
  expect((await api.call('POST', path(id, 'cancel'))).status).toBe(409);
  expiring.mine();
  expect((await ended(api, id)).status).toBe('SUCCEEDED');
});

// The pending reason is the same in an action, in lists by reason, in counts and in metrics. Tested on both databases.
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { systemUid } from '@ledger-ops/auth';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  addTwoTenants,
  type Installation,
  install,
  logIn,
  nobody,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

interface Shown {
  actionId: string;
  pending: { stage: string; code: string };
}

const path = '/v1/ledger-ops/actions';
const walletPassword = 'correct horse battery staple';
const wait = { timeout: 60_000, interval: 200 };

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  const ledger = createMemoryLedger({ autoMine: false });
  let here: Installation;
  let one: Tenant;
  beforeAll(async () => {
    const database = dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    here = await install({ METRICS_PORT: '0', ...database }, [memoryAdapter(ledger)]);
    await here.server.store.transaction((tx) =>
      here.server.registry.createLedger(tx, {
        ...{ ledgerId: 'memory', name: 'memory', projectUid: null, parentResourceUid: systemUid },
        ...{ technology: 'memory', properties: {}, nodes: [{ uri: 'memory:' }] },
      }),
    );
    ({ one } = await addTwoTenants(here));
  });
  afterAll(() => here?.close());

  const listed = async (ledgerId: string, query = '') => {
    const of = `${path}?status=PENDING&ledgerId=${ledgerId}${query}`;
    return (await one.api.expect<{ actions: Shown[] }>(200, 'GET', of)).actions;
  };
  const codesOf = (actions: readonly Shown[]) =>
    Object.fromEntries(actions.map(({ actionId, pending }) => [actionId, pending.code]));

  /** Checks that everything that shows a ledger's pending actions shows these reasons. */
  async function expectEverywhere(ledgerId: string, codes: Record<string, string>) {
    await vi.waitFor(async () => expect(codesOf(await listed(ledgerId))).toEqual(codes), wait);
    const found = Map.groupBy(Object.entries(codes), ([, code]) => code);
    for (const code of [
      'dependencies',
      'turn',
      'confirmation',
      'ledger-unavailable',
      'refused',
      'suspended',
    ]) {
      const expected = (found.get(code) ?? []).map(([id]) => id).toSorted();
      const byReason = await listed(ledgerId, `&reason=${code}`);
      expect([code, ...byReason.map(({ actionId }) => actionId).toSorted()]).toEqual([code, ...expected]);
    }
    const numbers = Object.fromEntries([...found].map(([code, all]) => [code, all.length]));
    const counts = await one.api.expect<object>(200, 'GET', `${path}/counts?ledgerId=${ledgerId}`);
    expect(counts).toMatchObject({ pending: numbers });
    await vi.waitFor(async () => {
      const text = await (await fetch(here.server.metricsUrl ?? '')).text();
      const series = new RegExp(
        `^ledger_ops_pending_actions{ledger="${ledgerId}",stage="\\w+",code="([^"]+)"} ([0-9]+)$`,
        'gm',
      );
      const counted: Record<string, number> = {};
      for (const [, code = '', n] of text.matchAll(series)) counted[code] = (counted[code] ?? 0) + Number(n);
      expect(counted).toEqual(numbers);
    }, wait);
    for (const [id, code] of Object.entries(codes))
      expect(await one.api.expect(200, 'GET', `${path}/${id}`)).toMatchObject({ pending: { code } });
  }

  test('all views show the same reason while a node rejects a signed transaction', async () => {
    const { walletAddress = '' } = await one.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: 'memory', ledgerId: 'memory', pluginParameters: { walletPassword } },
    });
    ledger.fund(walletAddress, 10n ** 18n);
    const script = ledger.script({ kind: 'rejectSubmits', times: Number.POSITIVE_INFINITY });
    const glo = {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'memory' }, resource: nobody },
        amount: '1',
      },
    };
    const refused = await send(one, 'memory', { glo });
    await expectEverywhere('memory', { [refused]: 'refused' });
    script.clear();
  });

  test('all views show the same reasons while a node is down', async () => {
    await here.anvil.rpc('evm_setIntervalMining', [0]);
    const signed = await send(one, 'payer');
    const blocked = await one.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...transferBody('payer', nobody),
      dependencies: [signed],
    });
    const suspension = await one.api.expect(201, 'POST', '/v1/ledger-ops/suspensions', {
      ...{ walletId: 'second', reason: 'Waits.' },
    });
    const ready = await send(one, 'second');
    const known = { [signed]: 'confirmation', [blocked.actionId ?? '']: 'dependencies' };
    await expectEverywhere('chain', { ...known, [ready]: 'suspended' });

    await here.anvil.kill();
    await expectEverywhere('chain', { ...known, [signed]: 'ledger-unavailable', [ready]: 'suspended' });
    await one.api.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspension.suspensionId}`);
    const down = { ...known, [signed]: 'ledger-unavailable', [ready]: 'ledger-unavailable' };
    await expectEverywhere('chain', down);
    const explained = await one.api.expect(200, 'GET', `${path}/${ready}/explain`);
    expect(JSON.stringify(explained)).toContain('the ledger cannot be reached');
    const admin = await logIn(here.url, here.administrator);
    const elsewhere = await admin.expect(200, 'GET', `${path}/counts?ledgerId=none`);
    expect(elsewhere).toMatchObject({ pending: {} });
  });
});

// Plugins whose estimates violate the adapter interface: in the server's process, in a child process, and behind a URL.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { asyncListener } from '../../../../testing/async-listener.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { addTenant, ended, type Installation, install, type Tenant } from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
/** A toy ledger whose estimates depend on the amount. On a blue ledger, the session has no `estimate`. */
const module = `import toy from './toyledger.mjs';
const odd = {
  1: (plan) => ({ status: 'ready', plan }),
  2: (plan) => ({ status: 'ready', plan, cost: -5n }),
  3: (plan) => ({ status: 'ready', plan, cost: ' 12 ' }),
  4: (plan) => ({ status: 'ready', plan, cost: 1n << 600n }),
  5: (plan) => ({ status: 'ready', plan, cost: 5 }),
  6: () => ({ status: 'ready', cost: 5n }),
  7: () => undefined,
  8: () => ({ status: 'later' }),
};
export default {
  ...toy,
  async open(ledger, host) {
    const session = await toy.open(ledger, host);
    const check = async (request) => ({ ...(await session.check(request)), readiness: 'estimate' });
    const estimate = async (requests) => requests.map(({ plan }) => odd[plan.amount](plan));
    return { ...session, check, estimate: ledger.properties.colour === 'blue' ? undefined : estimate };
  },
};
`;
const remote = new UrlPlugin({ about: { capabilities: { ...tally.capabilities, checks: true } } });
let chain: Server;
let here: Installation;
let tenant: Tenant;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  folder = await openFolder();
  const toy = fileURLToPath(new URL('toyledger/toyledger.mjs', import.meta.url));
  for (const place of ['own', 'other']) {
    mkdirSync(join(folder.path, place));
    copyFileSync(toy, join(folder.path, place, 'toyledger.mjs'));
    writeFileSync(join(folder.path, place, 'odd.mjs'), module);
  }
  const executed: string[] = [];
  chain = createServer(
    asyncListener(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.method === 'POST') executed.push(JSON.parse(Buffer.concat(chunks).toString()).txId);
      const height = executed.length + 1;
      const heights = Object.fromEntries(executed.map((txId, index) => [txId, index + 1]));
      response.end(JSON.stringify({ height, hash: `block ${height}`, executed: heights }));
    }),
  );
  await new Promise<void>((resolve) => chain.listen(0, '127.0.0.1', resolve));
  await remote.start();
  // A server on a port has an address of this form.
  const uri = `http://127.0.0.1:${(chain.address() as AddressInfo).port}/`;
  const [own, other] = ['own', 'other'].map((place) => `file:${folder.path}/${place}/odd.mjs`);
  here = await install({
    PLUGINS_ALLOWED: `file:${folder.path}/own,file:${folder.path}/other,${remote.url}`,
    PLUGINS_TRUSTED: `file:${folder.path}/own`,
  });
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api, projectId } = tenant;
  for (const [place, url] of [
    ['own', own],
    ['other', other],
  ]) {
    await api.expect(201, 'POST', '/v1/plugins', {
      ...{ name: `Odd in its ${place} process`, projectId, url, tags: ['toyledger', place] },
    });
    for (const colour of ['red', 'blue']) {
      const ledgerId = `${place}-${colour}`;
      await api.expect(201, 'POST', '/v1/admin/ledgers', {
        ...{ ledgerId, name: ledgerId, technology: 'toyledger', projectId },
        properties: { colour, desk_url: `${uri}desk`, plugin_tags: [place] },
        nodes: [{ uri }],
      });
      await addWallet(ledgerId);
    }
  }
  await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'tally', projectId, url: remote.url, tags: ['tally'] },
  });
  await api.expect(201, 'POST', '/v1/admin/ledgers', {
    ...{ ledgerId: 'remote', name: 'remote', technology: 'tally', projectId },
    properties: { polling_interval: 50 },
  });
  await addWallet('remote');
});
afterAll(async () => {
  await here?.close();
  await remote.close();
  chain?.closeAllConnections();
  chain?.close();
  await folder?.remove();
});

async function addWallet(ledgerId: string): Promise<void> {
  await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: ledgerId, ledgerId, pluginParameters: { walletPassword } },
  });
}

const transferOf = (walletId: string, technology: string, recipient: string, amount: number) => ({
  ...{ walletId, walletPassword },
  glo: {
    ...{ version: '0.1.0', type: 'transfer' },
    options: {
      recipient: { lookup_service: { type: 'ledger', value: technology }, resource: recipient },
      amount: String(amount),
    },
  },
});

describe.each([
  ['the server’s process', 'own'],
  ['a child process', 'other'],
])('a plugin in %s', (_, place) => {
  const send = async (walletId: string, amount: number) => {
    const body = transferOf(walletId, 'toyledger', 'A'.repeat(43), amount);
    const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', body);
    return actionId;
  };
  /** Waits until the action is pending because of a plugin fault, and returns the reason. */
  const waitsFor = async (actionId: string) =>
    await vi.waitFor(async () => {
      const { pending, status } = Object(
        await tenant.api.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}`),
      );
      expect({ status, code: pending?.code }).toEqual({ status: 'PENDING', code: 'plugin-fault' });
      return String(pending.detail);
    }, 10_000);

  test('an estimate without a cost uses the cost that the plugin’s check returned', async () => {
    expect(await ended(tenant.api, await send(`${place}-red`, 1))).toMatchObject({ status: 'SUCCEEDED' });
  });

  test.each([
    ['a negative cost', 2, /\/0\/cost: must not be negative/],
    ['a string', 3, /\/0\/cost: /],
    ['a huge cost', 4, /\/0\/cost: must be at most 2\^512/],
    ['a number', 5, /\/0\/cost: /],
    ['no plan', 6, /\/0\/plan: /],
    ['nothing', 7, /\/0: /],
    ['an unknown status', 8, /\/0\/status: /],
  ])(
    'if estimate() returns %s, the action waits, and the reason names plugin, call and member',
    async (_, amount, named) => {
      const actionId = await send(`${place}-red`, amount);
      const detail = await waitsFor(actionId);
      expect(detail).toMatch(named);
      expect(detail).toContain(`The plugin Odd in its ${place} process answered estimate() with`);
      expect(detail).toMatch(/Fix the plugin\.$/);
      expect(detail.length).toBeLessThan(250);
      expect(await cancel(actionId)).toBe('FAILED');
    },
  );

  test('an action whose plan needs an estimate waits if the plugin has no estimate(), and the reason names the call', async () => {
    const actionId = await send(`${place}-blue`, 1);
    expect(await waitsFor(actionId)).toMatch(/estimate/);
    expect(await cancel(actionId)).toBe('FAILED');
  });

  async function cancel(actionId: string): Promise<unknown> {
    const { status } = await tenant.api.expect(200, 'POST', `/v1/ledger-ops/actions/${actionId}/cancel`, {});
    return status;
  }
});

describe('a plugin behind a URL', () => {
  const send = (amount: number) =>
    tenant.api.call('POST', '/v1/ledger-ops/send', transferOf('remote', 'tally', 't0000000a', amount));

  test.each([
    ['a negative cost', '-5'],
    ['a string with spaces', ' 12 '],
    ['a huge cost', '9'.repeat(500)],
    ['a number', 5],
  ])(
    'an operation whose check returns %s is refused, and the error names plugin and member',
    async (_what, cost) => {
      remote.checked = { cost };
      const { status, body } = await send(1);
      expect(status).toBe(502);
      expect(body).toMatchObject({ detail: expect.stringMatching(/^The plugin tally answered .*cost/) });
    },
  );

  test('an operation whose check returns no cost succeeds', async () => {
    remote.checked = {};
    const { status, body } = await send(1);
    expect(status).toBe(201);
    expect(await ended(tenant.api, String(Object(body).actionId))).toMatchObject({ status: 'SUCCEEDED' });
  });
});

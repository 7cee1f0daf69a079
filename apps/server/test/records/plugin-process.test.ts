import { fileURLToPath } from 'node:url';
import { findIsolation } from '@ledger-ops/plugin-host';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
beforeAll(async () => {
  here = await install({
    PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
    PLUGINS_FOLDER: fileURLToPath(new URL('../..', import.meta.url)),
  });
  tenant = await addTenant(here.url, here.administrator, 'one');
});
afterAll(() => here.close());

interface Offer {
  technologies: { name: string; plugins: { id: string }[] }[];
}

test('a registered package serves ledgers from a child process until it is deactivated, then the built-in plugin does', async () => {
  const { api } = tenant;
  const record = {
    name: 'Ethereum, own process',
    projectId: tenant.projectId,
    url: 'npm:@ledger-ops/plugin-ethereum@*',
    tags: ['ethereum'],
  };
  const { id } = await api.expect(201, 'POST', '/v1/plugins', { ...record });
  const selection = () => api.expect(200, 'GET', '/v1/plugins/selection?ledgerId=chain');
  expect(await selection()).toEqual({
    ledgerId: 'chain',
    tags: ['ethereum'],
    chosen: { id, canServe: true, fault: null },
    candidates: [
      { id, name: record.name, builtIn: false, isChosen: true, reason: null },
      {
        ...{ id: 'ethereum', name: 'ethereum', builtIn: true, isChosen: false },
        reason: `${id} is registered, and registered plugins take precedence over built-in ones.`,
      },
    ],
  });
  const { walletId } = await addWallet(here, tenant, 'wallet');
  const to = '0x00000000000000000000000000000000000000aa';
  const send = async () => {
    const { actionId = '' } = await api.expect(
      201,
      'POST',
      '/v1/ledger-ops/send',
      transferBody(walletId, to),
    );
    return await ended(api, actionId);
  };
  expect(await send()).toMatchObject({ status: 'SUCCEEDED' });
  const other = await addTenant(here.url, here.administrator, 'other');
  const servedBy = async ({ api: its }: Tenant) => {
    const { body } = await its.call<Offer>('GET', '/v1/technologies');
    return body.technologies.map(({ name, plugins }) => [name, plugins.map((plugin) => plugin.id)]);
  };
  expect(await servedBy(tenant)).toEqual([['ethereum', [id, 'ethereum']]]);
  expect(await servedBy(other)).toEqual([['ethereum', ['ethereum']]]);
  const { level: isolation } = await findIsolation();
  expect(await api.expect(200, 'GET', `/v1/plugins/${id}`)).toMatchObject({
    health: {
      loaded: true,
      technology: 'ethereum',
      version: expect.any(String),
      lastError: null,
      restarts: 0,
      isolation,
    },
  });
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, { ...record, active: false });
  expect(await selection()).toMatchObject({
    chosen: { id: 'ethereum', canServe: true },
    candidates: [
      { id, reason: 'The plugin is not active.' },
      { id: 'ethereum', reason: null },
    ],
  });
  expect(await send()).toMatchObject({ status: 'SUCCEEDED' });
  expect(await servedBy(tenant)).toEqual([['ethereum', ['ethereum']]]);
  const fault = await api.expect(422, 'POST', '/v1/ledger-ops/contract-call', {
    contractId: 'none',
    method: 'none',
    params: [],
    options: {
      plugin: id,
      service: { dependencies: [], intent: null, tag: null, walletId, walletPassword: 'x' },
    },
  });
  expect(fault).toMatchObject({ type: 'urn:ledger-ops:problem:no-plugin' });
  await vi.waitFor(
    async () =>
      expect(await api.expect(200, 'GET', `/v1/plugins/${id}`)).toMatchObject({ health: { loaded: false } }),
    30_000,
  );
});

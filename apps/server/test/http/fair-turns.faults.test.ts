// Many requests of one tenant must not delay other tenants. Runs on a real server.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

let here: Installation;
let heavy: Tenant;
let light: Tenant;
beforeAll(async () => {
  here = await install();
  heavy = await addTenant(here.url, here.administrator, 'heavy');
  light = await addTenant(here.url, here.administrator, 'light');
});
afterAll(() => here.close());

const templates = '/v1/smart-contracts/templates';
const head = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n';
const small = `${head}contract Small { uint256 public value; }`;
/** Sources that occupy the compiler many times as long as the small one. */
const large = {
  language: 'Solidity',
  sources: {
    'Large.sol': {
      content: `${head}contract Large { ${Array.from(
        { length: 400 },
        (_, i) =>
          `function f${i}(uint a) external pure returns (uint) { return a * ${i} + ${i + 1} / (a + 1); }`,
      ).join('\n')} }`,
    },
  },
  settings: { viaIR: true, optimizer: { enabled: true } },
};

async function add({ api }: Tenant, templateId: string, source: unknown): Promise<void> {
  await api.expect(201, 'POST', templates, { contractTemplateID: templateId, name: templateId });
  await api.expect(201, 'POST', `${templates}/${templateId}/specifications`, {
    ...{ tag: '1', preCompilationSpecification: source },
  });
}

async function statusOf({ api }: Tenant, templateId: string): Promise<string | undefined> {
  const found = await api.expect(200, 'GET', `${templates}/${templateId}/specifications/1`);
  return found.compilationStatus;
}

test('one organization’s large sources do not delay the compilation of another organization’s sources', async () => {
  await add(heavy, 'large-1', large);
  await add(heavy, 'large-2', large);
  await add(light, 'small', small);
  await vi.waitFor(async () => expect(await statusOf(light, 'small')).toBe('COMPILED'), {
    timeout: 60_000,
    interval: 20,
  });
  expect(await statusOf(heavy, 'large-2')).toBe('PENDING');
}, 300_000);

test('generating keys for one organization’s accounts does not delay another organization’s key', async () => {
  const keys = ({ api, accountId }: Tenant) => api.call('POST', `/v1/admin/accounts/${accountId}/keys`, {});
  let made = 0;
  const ofHeavy = Array.from({ length: 30 }, async () => {
    const { status } = await keys(heavy);
    made += 1;
    return status;
  });
  // When the first key is generated, the other requests are queued.
  await vi.waitFor(() => expect(made).toBeGreaterThan(0), { timeout: 60_000, interval: 10 });
  const before = made;
  expect((await keys(light)).status).toBe(201);
  expect(made - before).toBeLessThan(6);
  expect(new Set(await Promise.all(ofHeavy))).toEqual(new Set([201]));
}, 120_000);

import { cloudWalletOpenApi } from '@ledger-ops/cloud-wallet';
import { expect, test } from 'vitest';

test('every reference in the OpenAPI document has a target', () => {
  const document = cloudWalletOpenApi();
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(document).toHaveProperty('components.schemas');
  for (const name of new Set(names)) expect(document).toHaveProperty(`components.schemas.${name}`);
  expect(text).not.toContain('$defs');
});

test('the OpenAPI document contains the operation types and the problem types', () => {
  const document = cloudWalletOpenApi();
  expect(document).toHaveProperty(
    'components.schemas.SendTransaction.properties.glo.$ref',
    '#/components/schemas/Glo',
  );
  expect(document).toHaveProperty('components.schemas.GloTransfer.properties.options');
  const types = JSON.stringify(document);
  for (const name of ['payload-too-large', 'insufficient-funds', 'wrong-wallet-password']) {
    expect(types).toContain(`"const":"urn:ledger-ops:problem:${name}"`);
  }
});

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMasterKey } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { firstSteps } from './readme-example.ts';

it('the example is the code that the README shows', () => {
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(text('../README.md')).toContain(text('./readme-example.ts'));
});

describeStores('the example', (open) => {
  it('the README example creates an administrator who may use the wallet that it registered', async () => {
    const store = await open();
    const masterKey = createMasterKey(randomBytes(32));
    expect(await firstSteps(store, masterKey)).toBe(true);
    expect(await firstSteps(store, masterKey)).toBe('not the first start');
  });
});

import { expect, test } from 'vitest';
import * as surface from './index.ts';

test('the package exports the definition by name and as the default export', () => {
  expect(surface.default).toBe(surface.ethereumAdapter);
  expect(surface.ethereumAdapter.capabilities).toEqual({
    operations: ['transfer', 'contract_call', 'contract_deploy'],
    sequence: 'account',
    replacement: true,
    onDemandReplacement: true,
    emulation: true,
    lookup: true,
    balance: true,
    contractEvents: true,
  });
});

import { phaseOf as phaseInAdapters } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { phaseOf } from './phase-of.ts';

test('calls belong to the same phases as in adapters', () => {
  expect(phaseOf).toEqual(phaseInAdapters);
});

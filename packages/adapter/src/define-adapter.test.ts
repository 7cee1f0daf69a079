import { expect, test } from 'vitest';
import { isCompatibleInterface } from './define-adapter.ts';

test.each([
  ['0.1.3', '0.1.0', true],
  ['0.2.0', '0.1.0', false],
  ['0.0.9', '0.1.0', false],
  ['1.2.0', '1.3.0', true],
  ['1.3.0-rc.1', '1.3.0', true],
  ['1.4.0', '1.3.0', false],
  ['2.0.0', '1.3.0', false],
])('an adapter for %s in a host of %s: %s', (written, supported, compatible) => {
  expect(isCompatibleInterface(written, supported)).toBe(compatible);
});

import { readFileSync } from 'node:fs';
// example
import {
  effectiveOperation,
  ethereum,
  GloError,
  JsonError,
  parseGlo,
  parseJson,
  serialiseGlo,
} from '@ledger-ops/glo-core';
import { expect, it } from 'vitest';

export function readOperation(body: string) {
  try {
    const glo = parseGlo(parseJson(body), { target: 'ethereum' });
    const { operation, overrides } = effectiveOperation(glo, ethereum);
    for (const { field, from, to } of overrides) console.log(`meta changed ${field} from ${from} to ${to}`);
    return { operation, canonical: serialiseGlo(glo) };
  } catch (error) {
    if (error instanceof GloError) return { code: error.code, issues: error.issues };
    if (error instanceof JsonError) return { code: error.reason, issues: [error] };
    throw error;
  }
}
// end of example

it('the README shows the example’s code', () => {
  const file = readFileSync(new URL(import.meta.url), 'utf8');
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = file.split('// example\n')[1]?.split('// end of example')[0]?.trim() ?? 'no example';
  expect(readme).toContain(example);
});

it('the README’s example returns the operation, its canonical form, and every issue at once', () => {
  const body = JSON.stringify({
    version: '0.1.0',
    type: 'transfer',
    options: {
      recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'wallet-2' },
      amount: '0x10',
    },
  });
  expect(readOperation(body)).toMatchObject({
    operation: { type: 'transfer', amount: 16n },
    canonical: { options: { amount: '16' } },
  });
  expect(readOperation(body.replace('0x10', '-1').replace('wallet-2', ''))).toMatchObject({
    code: 'invalid-glo',
    issues: [{ pointer: '/options/recipient/resource' }, { pointer: '/options/amount' }],
  });
  expect(readOperation('{"a":1,"a":2}')).toMatchObject({
    code: 'duplicate-key',
    issues: [{ pointer: '/a' }],
  });
});

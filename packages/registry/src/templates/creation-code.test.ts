import { expect, it, test } from 'vitest';
import { checkCode } from './creation-code.ts';

it('returns normalized creation code', () => {
  expect(checkCode('0x60FF', '/code')).toBe('0x60ff');
});

test.each([
  ['', 'hexadecimal'],
  ['0x', 'hexadecimal'],
  ['6000', 'hexadecimal'],
  ['0x60zz', 'hexadecimal'],
  ['0x600', 'even number'],
  [`0x60${'00'.repeat(1_048_577)}`, '1048576 bytes'],
  [`0x6000__$${'a1'.repeat(17)}$__6000`, `__$${'a1'.repeat(17)}$__`],
  ['0x6000__SafeMath______________________________6000', 'SafeMath'],
])('reports why creation code is invalid: case %#', (code, part) => {
  expect(() => checkCode(code, '/code')).toThrow(
    expect.objectContaining({
      problem: 'invalid-request',
      errors: [{ pointer: '/code', detail: expect.stringContaining(part) }],
    }),
  );
});

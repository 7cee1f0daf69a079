import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GloError, parseQuantity, parseQuantityAt } from './index.ts';

describe('parseQuantity', () => {
  it.each([
    ['0', 0n],
    ['1000000000000000000', 10n ** 18n],
    ['0xDe0B6b3a7640000', 10n ** 18n],
    ['007', 7n],
    [21000, 21000n],
    [Number.MAX_SAFE_INTEGER, 9007199254740991n],
    [`0x${'f'.repeat(100)}`, 16n ** 100n - 1n],
    ['9'.repeat(100), 10n ** 100n - 1n],
  ])('parseQuantity reads %s', (value, expected) => {
    expect(parseQuantity(value)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '.5',
    '-1',
    '+1',
    '1e3',
    '0x',
    '0X1',
    '0xg',
    '1n',
    '1_0',
    '١',
    'NaN',
    '1'.repeat(101),
    `0x${'1'.repeat(101)}`,
    0.5,
    -1,
    -0,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    true,
    1n,
    [],
    ['1'],
    {},
    Symbol('1'),
    () => 1,
  ])('parseQuantity refuses %s', (value) => {
    expect(() => parseQuantity(value)).toThrow(GloError);
  });

  it('the error for an invalid quantity contains the pointer but never the value', () => {
    expect(() => parseQuantityAt('12.5', '/glo/options/amount')).toThrow(
      expect.objectContaining({
        code: 'invalid-glo',
        message: expect.not.stringContaining('12.5'),
        issues: [{ pointer: '/glo/options/amount', detail: expect.stringContaining('non-negative integer') }],
      }),
    );
  });

  it('reads back every natural number of up to 100 digits in both notations', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 100n - 1n }), (value) => {
        expect(parseQuantity(value.toString())).toBe(value);
        expect(parseQuantity(`0x${value.toString(16)}`)).toBe(value);
      }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { encodeText } from './borsh.ts';
import { parseIdl } from './idl.ts';
import type { IdlType } from './schema.ts';

const { types } = parseIdl(
  JSON.stringify({
    instructions: [],
    types: [
      {
        name: 'Point',
        type: {
          kind: 'struct',
          fields: [
            { name: 'x', type: 'i64' },
            { name: 'y', type: { option: 'u8' } },
          ],
        },
      },
      { name: 'Pair', type: { kind: 'struct', fields: ['u8', 'bool'] } },
      {
        name: 'Shape',
        type: {
          kind: 'enum',
          variants: [
            { name: 'Nothing' },
            { name: 'Dot', fields: [{ name: 'at', type: { defined: { name: 'Point' } } }] },
            { name: 'Both', fields: [{ defined: 'Pair' }, 'string'] },
          ],
        },
      },
      { name: 'Loop', type: { kind: 'type', alias: { defined: 'Loop' } } },
      {
        name: 'Fixed',
        serialization: 'bytemuck',
        type: { kind: 'struct', fields: [{ name: 'x', type: 'u8' }] },
      },
      {
        name: 'Generic',
        generics: [{ kind: 'type', name: 'T' }],
        type: { kind: 'struct', fields: [{ name: 'x', type: { generic: 'T' } }] },
      },
    ],
  }),
  'check',
);

const hex = (type: IdlType, text: string) =>
  Buffer.from(encodeText(type, text, types, 'check', '/args/0')).toString('hex');
const key = 'GbXWcA4VsdPM1XCeYCPNEXqVqfyVY1Cgo1CZ4qLpYqgr';
const shape = { defined: 'Shape' };

describe('values in Borsh', () => {
  test.each<[IdlType, string, string]>([
    ['u8', '255', 'ff'],
    ['i16', '-2', 'feff'],
    ['u32', '1', '01000000'],
    ['u64', '18446744073709551615', 'ffffffffffffffff'],
    ['i64', '-9223372036854775808', '0000000000000080'],
    ['u128', '1', '01000000000000000000000000000000'],
    ['i128', '-1', 'ffffffffffffffffffffffffffffffff'],
    ['f64', '1.5', '000000000000f83f'],
    ['bool', 'true', '01'],
    ['string', 'null é', '070000006e756c6c20c3a9'],
    ['bytes', 'AQI=', '020000000102'],
    [{ option: 'u16' }, 'null', '00'],
    [{ option: 'u16' }, '5', '010500'],
    [{ option: 'string' }, '"null"', '01040000006e756c6c'],
    [{ vec: 'u16' }, '[1, "2"]', '0200000001000200'],
    [{ vec: 'u8' }, 'AQI=', '020000000102'],
    [{ array: ['u8', 2] }, '[1,2]', '0102'],
    [{ array: ['u8', 2] }, 'AQI=', '0102'],
    [{ defined: 'Point' }, '{"y": null, "x": "-1"}', 'ffffffffffffffff00'],
    [{ defined: 'Pair' }, '[7, true]', '0701'],
    [shape, 'Nothing', '00'],
    [shape, '{"Dot": {"at": {"x": 1, "y": 2}}}', '0101000000000000000102'],
    [shape, '{"Both": [[1, false], "a"]}', '0201000100000061'],
    [{ vec: shape }, '["Nothing", {"Nothing": []}]', '020000000000'],
  ])('encodes a value of type %j: %s', (type, text, expected) => expect(hex(type, text)).toBe(expected));

  test('encodes an address as its 32 bytes', () => {
    expect(hex('pubkey', key)).toHaveLength(64);
    expect(hex({ option: 'pubkey' }, key)).toBe(`01${hex('pubkey', key)}`);
  });
});

test.each<[IdlType, string, string]>([
  ['u8', '256', '/args/0'],
  ['u8', '', '/args/0'],
  ['u8', '0x1', '/args/0'],
  ['i8', '-129', '/args/0'],
  ['u128', (2n ** 128n).toString(), '/args/0'],
  ['f64', 'Infinity', '/args/0'],
  ['bool', '1', '/args/0'],
  ['bytes', 'AQI', '/args/0'],
  ['pubkey', '0x12', '/args/0'],
  ['string', '\ud800', '/args/0'],
  ['u256', '1', '/args/0'],
  [{ option: 'u8' }, '256', '/args/0'],
  [{ vec: 'u16' }, '1', '/args/0'],
  [{ vec: 'u16' }, '[1, 65536]', '/args/0/1'],
  [{ vec: 'u64' }, '[9007199254740993]', '/args/0'],
  [{ array: ['u8', 2] }, '[1]', '/args/0'],
  [{ defined: 'Point' }, '{"x": 1}', '/args/0'],
  [{ defined: 'Point' }, '{"x": 1, "y": null, "z": 1}', '/args/0'],
  [{ defined: 'Point' }, '{"x": true, "y": null}', '/args/0/x'],
  [shape, 'Other', '/args/0'],
  [shape, '"Dot"', '/args/0/Dot'],
  [shape, '{"Dot": {"at": {"x": 1, "y": 300}}}', '/args/0/Dot/at/y'],
  [{ defined: 'Missing' }, '1', '/args/0'],
  [{ defined: 'Loop' }, '1', '/args/0'],
  [{ defined: 'Fixed' }, '{"x": 1}', '/args/0'],
  [{ defined: 'Generic' }, '{"x": 1}', '/args/0'],
])('for the type %j, rejects the string %s and reports the pointer %s', (type, text, pointer) => {
  expect(() => hex(type, text)).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      problem: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    }),
  );
});

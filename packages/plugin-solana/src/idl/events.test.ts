import { createHash } from 'node:crypto';
import { slices } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import { linesOf } from '../program-logs.ts';
import { encodeText } from './borsh.ts';
import { decodeEvent } from './events.ts';
import { parseIdl } from './idl.ts';

const fields = [
  { name: 'from', type: 'pubkey' },
  { name: 'amount', type: 'u64' },
  { name: 'change', type: 'i16' },
  { name: 'memo', type: { option: 'string' } },
  { name: 'parts', type: { vec: { defined: { name: 'Part' } } } },
  { name: 'bytes', type: { array: ['u8', 3] } },
  { name: 'kind', type: { defined: { name: 'Kind' } } },
];
const types = [
  { name: 'Moved', type: { kind: 'struct', fields } },
  { name: 'Part', type: { kind: 'struct', fields: [{ name: 'open', type: 'bool' }] } },
  {
    ...{ name: 'Kind' },
    type: {
      kind: 'enum',
      variants: [{ name: 'Plain' }, { name: 'Split', fields: [{ name: 'by', type: 'u8' }] }],
    },
  },
];
const discriminator = [...createHash('sha256').update('event:Moved').digest().subarray(0, 8)];
const newer = parseIdl(
  JSON.stringify({ instructions: [], types, events: [{ name: 'Moved', discriminator }] }),
  'check',
);
const older = parseIdl(
  JSON.stringify({ instructions: [], types: types.slice(1), events: [{ name: 'Moved', fields }] }),
  'check',
);
const args = {
  ...{ from: 'GbXWcA4VsdPM1XCeYCPNEXqVqfyVY1Cgo1CZ4qLpYqgr', amount: '18446744073709551615', change: '-2' },
  ...{ memo: 'rent', parts: [{ open: true }, { open: false }], bytes: 'AQID', kind: { Split: { by: '7' } } },
};
const data = Buffer.concat([
  Buffer.from(discriminator),
  encodeText({ defined: 'Moved' }, JSON.stringify(args), newer.types, 'check', ''),
]);

test.each([
  ['a newer IDL', newer],
  ['an older IDL', older],
])('decodes an event by %s, even after the IDL was stored and parsed again', (_, idl) => {
  expect(decodeEvent(data, idl)).toEqual({ name: 'Moved', args });
  expect(decodeEvent(data, parseIdl(JSON.stringify(idl), 'check'))).toEqual({ name: 'Moved', args });
});

test('does not decode an event with a string that is not UTF-8', () => {
  const at = data.indexOf('rent');
  const other = Buffer.concat([
    data.subarray(0, at),
    Buffer.of(0xff, 0xfe, 0xc3, 0x28),
    data.subarray(at + 4),
  ]);
  expect(decodeEvent(other, newer)).toBeUndefined();
});

test('does not decode data in a different format or of an unknown event', () => {
  expect(decodeEvent(data.subarray(0, -1), newer)).toBeUndefined();
  expect(decodeEvent(Buffer.from('something else'), newer)).toBeUndefined();
  const long = Buffer.from(data);
  // The length of `parts`, which exceeds the data.
  long.writeUInt32LE(0xffffffff, 8 + 32 + 8 + 2 + 1 + 4 + 4);
  expect(decodeEvent(long, newer)).toBeUndefined();
});

test('attributes each log line to the program that was running', async () => {
  const logs = [
    'Program outer invoke [1]',
    'Program log: begins',
    'Program inner invoke [2]',
    'Program data: AQID',
    'Program log: Program outer success is what I write',
    'Program inner consumed 5 of 200 compute units',
    'Program inner success',
    'Program data: BAUG',
    'Program outer failed: custom program error: 0x1',
    'Program log: nobody runs',
  ];
  expect(await slices.run(linesOf('inner', logs))).toEqual([
    { kind: 'data', text: 'AQID' },
    { kind: 'log', text: 'Program outer success is what I write' },
  ]);
  expect(await slices.run(linesOf('outer', logs))).toEqual([
    { kind: 'log', text: 'begins' },
    { kind: 'data', text: 'BAUG' },
  ]);
});

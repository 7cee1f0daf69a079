import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { weighMessage } from './weigh.ts';

const all = Number.MAX_SAFE_INTEGER;
const weigh = (value: unknown, most = all) => weighMessage(serialize(value), most);

test('weighs every kind of cloneable value, and stops exactly at the message’s last byte', () => {
  const twice = { a: 1 };
  const sparse: number[] = [];
  sparse[7] = 1;
  const holes = [1, 2, 3];
  delete holes[1];
  const values = [
    undefined,
    null,
    true,
    false,
    0,
    -1,
    2 ** 40,
    1.5,
    10n,
    -(1n << 300n),
    '',
    'é',
    '日本',
    'x'.repeat(70_000),
    holes,
    sparse,
    { a: { b: [] } },
    new Map([[1, 'a']]),
    new Set(['a']),
    new Date(0),
    /a+/gi,
    new Error('x', { cause: { y: 1 } }),
    new TypeError('y'),
    new Uint8Array(300),
    new ArrayBuffer(3),
    Object(1n),
    Object('text'),
    Object(true),
    Object(1),
    [twice, twice],
  ];
  for (const value of values) {
    const bytes = serialize(value);
    expect(weighMessage(bytes, all)).toBeGreaterThan(0);
    // The next value is found at its start, so this value was read to its last byte.
    expect(weigh([value, 'end'])).toBe((weigh([value]) ?? 0) + 1);
  }
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(weigh(cycle)).toBeLessThan(10);
});

test('weighs a short message by the number of values that it expands to', () => {
  expect(
    weigh(
      Array.from({ length: 100_000 }, () => ({})),
      100_000,
    ),
  ).toBeUndefined();
  const sparse: number[] = [];
  sparse.length = 4_000_000_000;
  expect(weigh(sparse, 1_000_000)).toBeUndefined();
  let laughs: unknown[] = ['ha'];
  for (let level = 0; level < 20; level += 1) laughs = Array.from({ length: 10 }, () => laughs);
  expect(serialize(laughs).length).toBeLessThan(2_000);
  expect(weigh(laughs, 1_000_000)).toBeUndefined();
});

test('weighs hidden classes and individually constructed values', () => {
  const most = 100_000;
  const list = (make: (at: number) => unknown) => Array.from({ length: 6_000 }, (_, at) => make(at));
  expect(
    weigh(
      list((at) => ({ name: at, other: at })),
      most,
    ),
  ).toBeLessThan(most);
  expect(
    weigh(
      list((at) => ({ [`name${at}`]: at, other: at })),
      most,
    ),
  ).toBeUndefined();
  // The same names in another order are a separate hidden class.
  const orders = list((at) =>
    Object.fromEntries([...`${at}`.padStart(4, '0')].map((digit, place) => [`${place}${digit}`, at])),
  );
  expect(weigh(orders, most)).toBeUndefined();
  expect(
    weigh(Object.fromEntries(list((at) => [`name${at}`, at]) as [string, number][]), most),
  ).toBeUndefined();
  for (const other of [new Date(0), /a/, new Map(), new Set(), new Uint8Array(1), new Error('a')])
    expect(
      weigh(
        list(() => structuredClone(other)),
        most,
      ),
    ).toBeUndefined();
});

test('rejects invalid messages and endlessly nested messages', () => {
  let deep: unknown = [];
  for (let level = 0; level < 1_000; level += 1) deep = [deep];
  expect(() => weigh(deep)).toThrow(RangeError);
  expect(() => weighMessage(Buffer.from([1, 2, 3]), all)).toThrow(TypeError);
  expect(() => weighMessage(Buffer.from([255, 15, 0x6f]), all)).toThrow(RangeError);
  // UTF-8, which is slow to read and which `serialize` never writes.
  expect(() => weighMessage(Buffer.from([255, 15, 0x53, 1, 0x61]), all)).toThrow(TypeError);
});

test('weighs a list by the length that it declares, even if it contains fewer members', () => {
  // A dense list of 50,000 in another list, fifty times: takes few bytes.
  const announced = Buffer.from([0x41, 0xd0, 0x86, 0x03]);
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0x0f]),
    ...Array.from({ length: 50 }, () => announced),
    Buffer.alloc(50_000, 0x5f),
  ]);
  expect(weighMessage(bytes, 1_000_000)).toBeUndefined();
});

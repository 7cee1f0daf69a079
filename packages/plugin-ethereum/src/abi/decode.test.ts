import { AbiCoder, type EventFragment, Interface, ParamType, Result } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLog, decodeValues } from './decode.ts';

const coder = AbiCoder.defaultAbiCoder();
const word = (value: number | bigint) => value.toString(16).padStart(64, '0');

interface Sample {
  readonly type: string;
  readonly value: unknown;
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.bigInt(0n, (1n << 256n) - 1n).map((value) => ({ type: 'uint256', value })),
  fc.bigInt(-(1n << 23n), (1n << 23n) - 1n).map((value) => ({ type: 'int24', value })),
  fc.boolean().map((value) => ({ type: 'bool', value })),
  fc.uint8Array({ maxLength: 70 }).map((value) => ({ type: 'bytes', value })),
  fc.uint8Array({ minLength: 3, maxLength: 3 }).map((value) => ({ type: 'bytes3', value })),
  fc.string({ unit: 'grapheme' }).map((text) => ({ type: 'string', value: text.toWellFormed() })),
  fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => ({ type: 'address', value: `0x${Buffer.from(bytes).toString('hex')}` })),
);
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.tuple(tie('sample'), fc.integer({ min: 0, max: 3 }), fc.boolean()).map(([one, count, isOpen]) => ({
      type: `${one.type}[${isOpen || count === 0 ? '' : count}]`,
      value: Array.from({ length: count }, () => one.value),
    })),
    fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((all) => ({
      type: `tuple(${all.map(({ type }, at) => `${type} m${at}`)})`,
      value: all.map(({ value }) => value),
    })),
  ),
}));

/** Decodes with ethers and returns the result in the form of `decodeValues`. */
function asJson(type: ParamType, value: unknown): unknown {
  if (value instanceof Result) {
    const items = [...value];
    if (type.isArray()) return items.map((item) => asJson(type.arrayChildren, item));
    const members = type.components?.map((one, at) => [one.name, asJson(one, items[at])] as const) ?? [];
    return members.length === 0 ? [] : Object.fromEntries(members);
  }
  return typeof value === 'bigint' ? value.toString() : value;
}

test('decodes values like ethers', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 4 }), (all) => {
      const types = all.map(({ type }) => ParamType.from(type));
      const data = coder.encode(
        types,
        all.map(({ value }) => value),
      );
      const decoded = [...coder.decode(types, data)];
      expect(decodeValues(types, data)).toEqual(types.map((type, at) => asJson(type, decoded[at])));
    }),
    { numRuns: 200 },
  );
});

test('decodes log arguments like ethers, and shows long indexed arguments as hashes', () => {
  const abi = new Interface([
    'event E(address indexed a, uint8[] b, string indexed c, uint256, tuple(bool d, bytes e) f, int8 indexed __proto__)',
  ]);
  const fragment = abi.getEvent('E') as EventFragment;
  const who = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const { topics, data } = abi.encodeEventLog(fragment, [who, [1, 2], 'long', 7, [true, '0x12'], -3]);
  expect(decodeLog(fragment, topics, data)).toEqual({
    ...{ a: who, b: ['1', '2'], c: topics[2], 3: '7', f: { d: true, e: '0x12' }, 5: '-3' },
  });
  expect(() => decodeLog(fragment, topics.slice(0, 2), data)).toThrow('A topic is missing.');
});

/** Nested lists: all items of each list point to the same bytes. */
function sharing(depth: number, items: number): string {
  const level = word(items) + word(32 * items).repeat(items);
  return `0x${word(32)}${level.repeat(depth - 1)}${word(items)}${word(1).repeat(items)}`;
}

test.each([
  ['uint256[][][][]', sharing(4, 60), 'The data is invalid: too many offsets point to the same bytes.'],
  [
    'bytes[]',
    `0x${word(32)}${word(90)}${word(2880).repeat(90)}${word(99)}${'ab'.repeat(99)}`,
    'too many offsets',
  ],
  ['tuple()[]', `0x${word(32)}${word(1_000_000)}${word(0).repeat(40_000)}`, 'too many values'],
  ['uint8[0][4000000000]', '0x', 'too many values'],
  ['uint256[]', `0x${word(32)}${word(1n << 255n)}`, 'An offset or a length is outside the data.'],
  ['uint256[]', `0x${word(32)}${word(2)}${word(1)}`, 'The data is too short.'],
  ['string', `0x${word(32)}${word(1)}ff`, 'A string is not valid UTF-8.'],
  ['address', `0x${word(1n << 200n)}`, 'An address is too long.'],
  ['uint256', '0xzz', 'not hexadecimal digits'],
])('rejects data that does not match the type %s, or that expands too much', (type, data, message) => {
  expect(() => decodeValues([ParamType.from(type)], data)).toThrow(message);
});

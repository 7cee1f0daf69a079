import { AbiCoder, FunctionFragment, ParamType } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArguments } from './arguments.ts';
import { decodeValues } from './decode.ts';
import { encodeAbi } from './encode-arguments.ts';

const read = (type: string, text: string) => readArguments([ParamType.from(type)], [text], 'check')[0];
const refused = (pointer: string) =>
  expect.objectContaining({
    problem: expect.objectContaining({
      code: 'invalid-argument',
      phase: 'check',
      issues: [expect.objectContaining({ pointer })],
    }),
  });

const line = 'tuple(string label, tuple(int64 x, int64 y)[] points, bytes2 tag)';

test('converts argument strings to the values of their types', () => {
  expect(read('uint256', '0x2a')).toBe(42n);
  expect(read('int8', '-128')).toBe(-128n);
  expect(read('bool', 'true')).toBe(true);
  expect(read('string', '{"not": "parsed"}')).toBe('{"not": "parsed"}');
  expect(read('bytes', '0x')).toBe('0x');
  expect(read('bytes4', '0xdeadbeef')).toBe('0xdeadbeef');
  expect(read('address', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe(
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  );
  expect(read('uint8[2][]', '[[1,"2"],["0x3",4]]')).toEqual([
    [1n, 2n],
    [3n, 4n],
  ]);
  expect(read('bool[]', '[true,"false"]')).toEqual([true, false]);
  const points = [
    [1n, -2n],
    [3n, 4n],
  ];
  expect(read(line, '{"tag":"0x1234","label":"a","points":[{"x":1,"y":"-2"},["3",4]]}')).toEqual([
    'a',
    points,
    '0x1234',
  ]);
  expect(read(line, '["a",[[1,-2],[3,4]],"0x1234"]')).toEqual(['a', points, '0x1234']);
});

test.each([
  ['uint8', '256', '/args/0'],
  ['uint8', '-1', '/args/0'],
  ['int8', '128', '/args/0'],
  ['uint256', '1.5', '/args/0'],
  ['uint256', '', '/args/0'],
  ['uint256', '1e3', '/args/0'],
  ['uint256', ' 1', '/args/0'],
  ['bool', '1', '/args/0'],
  ['bytes4', '0xdeadbe', '/args/0'],
  ['bytes', '0xabc', '/args/0'],
  ['bytes', 'abcd', '/args/0'],
  ['address', '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266', '/args/0'],
  ['address', 'vitalik.eth', '/args/0'],
  ['string', '\ud800', '/args/0'],
  ['uint8[]', 'not json', '/args/0'],
  ['uint8[]', '{"0":1}', '/args/0'],
  ['uint8[2]', '[1]', '/args/0'],
  ['uint8[]', '[1,999]', '/args/0/1'],
  ['uint8[]', '[1.5]', '/args/0/0'],
  ['uint256[]', '[9007199254740993]', '/args/0'],
  ['string[]', '[1]', '/args/0/0'],
  [line, '{"label":"a","points":[]}', '/args/0'],
  [line, '{"label":"a","points":[],"tag":"0x1234","more":1}', '/args/0'],
  [line, '["a",[[1,"x"]],"0x1234"]', '/args/0/1/0/1'],
  [line, '{"label":"a","points":[{"x":1,"y":true}],"tag":"0x1234"}', '/args/0/points/0/y'],
  [line, '"text"', '/args/0'],
])('rejects a wrong value of %s and reports its JSON pointer: %s (%s)', (type, text, pointer) => {
  expect(() => read(type, text)).toThrow(refused(pointer));
});

test('reports a wrong number of arguments at /args and names the expected number', () => {
  const types = [ParamType.from('uint256 amount'), ParamType.from('bool')];
  expect(() => readArguments(types, ['1'], 'check')).toThrow(refused('/args'));
  expect(() => readArguments(types, ['1'], 'check')).toThrow(/uint256 amount, bool/);
});

test('an argument read from decoded JSON encodes to the same bytes', () => {
  const type = ParamType.from(
    'tuple(string label, int200[] numbers, tuple(bool, bytes)[2] pairs, address who)',
  );
  const value = fc.tuple(
    fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
    fc.array(fc.bigInt(-(1n << 199n), (1n << 199n) - 1n), { maxLength: 4 }),
    fc.array(fc.tuple(fc.boolean(), fc.uint8Array({ maxLength: 40 })), { minLength: 2, maxLength: 2 }),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  );
  const coder = AbiCoder.defaultAbiCoder();
  fc.assert(
    fc.property(value, (one) => {
      const bytes = coder.encode([type], [one]);
      const [json] = decodeValues([type], bytes);
      const [again] = readArguments([type], [JSON.stringify(json)], 'check');
      expect(coder.encode([type], [again])).toBe(bytes);
      expect(`0x${encodeAbi([type], [again])}`).toBe(bytes);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['uint256,int8,bool,address', ['1', '-1', 'true', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8']],
  ['bytes3,bytes,string', ['0xaBcDef', '0x', '']],
  ['bytes32,string,bytes', [`0x${'12'.repeat(32)}`, '漢字 𝄞', `0x${'ab'.repeat(33)}`]],
  ['uint8[],uint8[3],string[]', ['[1,2]', '[1,2,3]', '["a","",""]']],
  ['(uint8,string)[2],(uint8,bool)[2]', ['[[1,"a"],[2,"b"]]', '[[1,true],[2,false]]']],
  ['uint8[][],uint8[2][],string[2][1]', ['[[],[1]]', '[[1,2],[3,4]]', '[["a","b"]]']],
  [
    '((uint8,(bytes,bool[])),address)[]',
    ['[[[1,["0x12",[true]]],"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]]'],
  ],
  ['uint8[0],()', ['[]', '[]']],
])('encodes %s like ethers', (signature, texts) => {
  const fragment = FunctionFragment.from(`function f(${signature})`);
  const values = readArguments(fragment.inputs, texts, 'check');
  const expected = AbiCoder.defaultAbiCoder().encode(fragment.inputs, values);
  expect(`0x${encodeAbi(fragment.inputs, values)}`).toBe(expected);
});

test.each([
  ['items of one list', ['uint8[]'], [JSON.stringify(Array.from({ length: 9_000 }, () => 1))]],
  [
    'items of many lists',
    ['uint8[]', 'uint8[]', 'uint8[]'],
    Array.from({ length: 3 }, () => JSON.stringify(Array.from({ length: 4_000 }, () => 1))),
  ],
  ['characters', ['bytes'], [`0x${'ab'.repeat(200_000)}`]],
])(
  'rejects arguments with more %s than a transaction can carry, before encoding them',
  (_what, types, texts) => {
    const inputs = types.map((type) => ParamType.from(type));
    expect(() => readArguments(inputs, texts, 'check')).toThrow(/value too many|at most|more than/);
  },
);

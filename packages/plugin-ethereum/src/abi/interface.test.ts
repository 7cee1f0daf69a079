import { tokenTemplate } from '@ledger-ops/devnet';
import { expect, test } from 'vitest';
import { createAbiCache, describeInterface, parseAbi, readSignature, selectMethod } from './interface.ts';

const abi = parseAbi(
  '["function set(uint256)", "function set(string)", "function set(uint256,uint256)", "function get() view returns (uint256 value)", "error Bad(address who)"]',
  'interface',
);
const select = (name: string, count = 1) => selectMethod(abi, name, count, 'check').format('sighash');
const failing = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) });

test('an ABI is described by its methods, and custom errors are kept', () => {
  const { methods, interface: text } = describeInterface(abi);
  expect(methods.find(({ name }) => name === 'get')).toEqual({
    name: 'get',
    signature: 'get()',
    view: true,
    inputs: [],
    outputs: [{ name: 'value', type: 'uint256' }],
  });
  expect(abi.errors).toEqual(['Bad(address who)']);
  expect(parseAbi(text, 'interface').errors).toEqual(['Bad(address who)']);
});

test("a compiler's artifact is read as well", () => {
  const artifact = JSON.stringify({ contractName: 'Token', abi: JSON.parse(tokenTemplate.interface) });
  expect(parseAbi(artifact, 'interface').methods.map(({ name }) => name)).toContain('transfer');
});

test('a deployment takes the arguments of the constructor, and none without one', () => {
  const inputs = (abi: string[]) =>
    describeInterface(parseAbi(JSON.stringify(abi), 'interface')).constructorInputs;
  expect(inputs(['constructor(string name_, (uint256, bool)[] parts)'])).toEqual([
    { name: 'name_', type: 'string' },
    { name: 'parts', type: '(uint256,bool)[]' },
  ]);
  expect(inputs(['function get() view'])).toEqual([]);
});

test('names of events are told once each, those of anonymous ones, which no log has, not at all', () => {
  const all = [
    'event Moved(uint256)',
    'event Moved(string)',
    { type: 'event', name: 'Hidden', inputs: [], anonymous: true },
    'function get()',
  ];
  expect(describeInterface(parseAbi(JSON.stringify(all), 'interface')).eventNames).toEqual(['Moved']);
});

test('methods are chosen by name, by count of arguments, or by signature', () => {
  expect(select('get', 0)).toBe('get()');
  expect(select('set', 2)).toBe('set(uint256,uint256)');
  expect(select('set(string)')).toBe('set(string)');
  expect(select('set(uint)')).toBe('set(uint256)');
  expect(() => select('set')).toThrow(failing('ambiguous-method'));
  expect(() => select('set')).toThrow(/set\(string\), set\(uint256\)/);
  expect(() => select('set', 3)).toThrow(failing('invalid-argument'));
  expect(() => select('nothing')).toThrow(failing('unknown-method'));
  expect(() => select('set(bool)')).toThrow(failing('unknown-method'));
  expect(() => select('toString', 0)).toThrow(failing('unknown-method'));
});

test('a signature stands for itself, with tuples and arrays', () => {
  expect(readSignature('name(uint256,(address,bytes)[])', 'check').format('sighash')).toBe(
    'name(uint256,(address,bytes)[])',
  );
  expect(readSignature('go()', 'check').selector).toBe('0x0f59f83a');
  for (const wrong of [
    'name',
    'name(',
    'name(nonsense)',
    'name(uint256) returns (bool)',
    '(uint256)',
    'a b(uint256)',
  ]) {
    expect(() => readSignature(wrong, 'check'), wrong).toThrow(failing('unknown-method'));
  }
});

test('wrong fragments are named by their places, and nothing is printed', () => {
  expect(() =>
    parseAbi('["function a()", "nonsense", {"type":"function"}]', 'interface', '/interface'),
  ).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'invalid-argument',
        issues: [
          expect.objectContaining({ pointer: '/interface/1' }),
          expect.objectContaining({ pointer: '/interface/2' }),
        ],
      }),
    }),
  );
});

test('a text is parsed once', () => {
  const cache = createAbiCache(1);
  const first = cache.parse(tokenTemplate.interface, 'check', '');
  expect(cache.parse(tokenTemplate.interface, 'check', '')).toBe(first);
  cache.parse('[]', 'check', '');
  expect(cache.parse(tokenTemplate.interface, 'check', '')).not.toBe(first);
});

test.each([
  ['tuples', (depth: number) => `f(${'('.repeat(depth)}uint8${')'.repeat(depth)})`],
  ['arrays', (depth: number) => `f(uint8${'[]'.repeat(depth)})`],
])('a signature of %s in one another is read as deep as any is, and no deeper', (_what, signature) => {
  expect(readSignature(signature(12), 'check').name).toBe('f');
  expect(parseAbi(JSON.stringify([`function ${signature(12)}`]), 'check').methods).toHaveLength(1);
  expect(() => readSignature(signature(24), 'check')).toThrow(/must be a full signature/);
  expect(() => parseAbi(JSON.stringify([`function ${signature(24)}`]), 'check')).toThrow(/cannot be read/);
});

test('an ABI of more values than any has is refused before its types are made', () => {
  const item = { type: 'function', name: 'f', inputs: [{ name: 'a', type: 'uint256' }], outputs: [] };
  const abi = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ ...item, name: `f${at}` })));
  expect(parseAbi(abi(1_000), 'check').methods).toHaveLength(1_000);
  expect(() => parseAbi(abi(5_000), 'check')).toThrow(/one value too many/);
  // The counting does not end at faults that compilers make.
  const after = (first: string) =>
    `[{"type":"function","name":"f",${first},"inputs":[]},${abi(5_000).slice(1)}`;
  expect(() => parseAbi(after('"a":1,"a":2'), 'check')).toThrow(/one value too many/);
  expect(() => parseAbi(after('"a":12345678901234567890'), 'check')).toThrow(/one value too many/);
});

const payableOf = (text: string) => parseAbi(text, 'interface').abi.deploy.payable;

test('a constructor takes ether where its compiler says so, in each form of each time', () => {
  const of = (more: object) => JSON.stringify([{ type: 'constructor', inputs: [], ...more }]);
  expect(payableOf(of({ stateMutability: 'payable' }))).toBe(true);
  expect(payableOf(of({ stateMutability: 'nonpayable' }))).toBe(false);
  expect(payableOf(of({ stateMutability: 'nonpayable', payable: true }))).toBe(false);
  // Compilers before 0.4.16 say it in a member of its own, the first ones not at all.
  expect(payableOf(of({ payable: true }))).toBe(true);
  expect(payableOf(of({ payable: false }))).toBe(false);
  expect(payableOf(of({}))).toBe(true);
  expect(payableOf('["constructor() payable"]')).toBe(true);
  expect(payableOf('["constructor()"]')).toBe(false);
  // Without a constructor the compiler makes one that takes none.
  expect(payableOf('[]')).toBe(false);
});

test('methods of old compilers keep what they may and take', () => {
  const of = (more: object) =>
    parseAbi(JSON.stringify([{ type: 'function', name: 'f', inputs: [], outputs: [], ...more }]), 'interface')
      .methods[0];
  expect(of({ constant: true, payable: false })).toMatchObject({ constant: true, payable: false });
  expect(of({ constant: false, payable: true })).toMatchObject({ constant: false, payable: true });
  expect(of({ constant: false, payable: false })).toMatchObject({ constant: false, payable: false });
  expect(of({ payable: true })).toMatchObject({ constant: false, payable: true });
  expect(of({ stateMutability: 'pure' })).toMatchObject({ constant: true, payable: false });
});

test('an interface that was described reads the same again, in words that other tools know', () => {
  for (const stateMutability of ['payable', 'nonpayable']) {
    const text = JSON.stringify([
      { type: 'constructor', stateMutability, inputs: [] },
      { type: 'function', name: 'f', stateMutability, inputs: [], outputs: [] },
      { type: 'fallback', stateMutability },
      { type: 'receive', stateMutability: 'payable' },
    ]);
    const { interface: described } = describeInterface(parseAbi(text, 'interface'));
    const items: { type: string; stateMutability?: string }[] = JSON.parse(described);
    expect(items.find(({ type }) => type === 'constructor')).toMatchObject({ stateMutability });
    expect(items.find(({ type }) => type === 'fallback')).toMatchObject({ stateMutability });
    expect(items.find(({ type }) => type === 'function')).toMatchObject({ stateMutability });
    expect(payableOf(described)).toBe(stateMutability === 'payable');
  }
});

test('an interface that could not be read again as it is described is refused when it is given', () => {
  const text = JSON.stringify(
    Array.from({ length: 1_900 }, (_, n) => `function method${n}(uint256) returns (bool)`),
  );
  const parsed = parseAbi(text, 'interface');
  expect(() => describeInterface(parsed)).toThrow(/is not an ABI: .*12000/);
});

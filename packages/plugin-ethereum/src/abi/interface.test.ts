import { tokenTemplate } from '@ledger-ops/devnet';
import { expect, test } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
import {
  constructorOf,
  createAbiCache,
  describeInterface,
  parseAbi,
  readSignature,
  selectMethod,
} from './interface.ts';

const abi = parseAbi(
  '["function set(uint256)", "function set(string)", "function set(uint256,uint256)", "function get() view returns (uint256 value)", "error Bad(address who)"]',
  'interface',
);
const select = (name: string, count = 1) => selectMethod(abi, name, count, 'check').format('sighash');
const failing = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) });

test('describes an ABI by its methods and keeps its custom errors', () => {
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

test("reads the ABI in a compiler's artifact", () => {
  const artifact = JSON.stringify({ contractName: 'Token', abi: JSON.parse(tokenTemplate.interface) });
  expect(parseAbi(artifact, 'interface').methods.map(({ name }) => name)).toContain('transfer');
});

test('a deployment takes the constructor’s arguments, or none without a constructor', () => {
  const inputs = (abi: string[]) =>
    describeInterface(parseAbi(JSON.stringify(abi), 'interface')).constructorInputs;
  expect(inputs(['constructor(string name_, (uint256, bool)[] parts)'])).toEqual([
    { name: 'name_', type: 'string' },
    { name: 'parts', type: '(uint256,bool)[]' },
  ]);
  expect(inputs(['function get() view'])).toEqual([]);
});

test('lists each event name once, without anonymous events', () => {
  const all = [
    'event Moved(uint256)',
    'event Moved(string)',
    { type: 'event', name: 'Hidden', inputs: [], anonymous: true },
    'function get()',
  ];
  expect(describeInterface(parseAbi(JSON.stringify(all), 'interface')).eventNames).toEqual(['Moved']);
});

test('parses a string fragment of an anonymous event like its JSON form, and ignores semicolons', () => {
  const read = (items: unknown[]) =>
    describeInterface(parseAbi(JSON.stringify(items), 'interface')).interface;
  const inputs = [{ type: 'uint256', name: 'a', indexed: true }];
  expect(read(['event X(uint256 indexed a) anonymous;', 'function f(uint256);'])).toBe(
    read([{ type: 'event', name: 'X', anonymous: true, inputs }, 'function f(uint256)']),
  );
});

const foreignAbi = [
  {
    ...{ type: 'function', name: 'paint', stateMutability: 'nonpayable', outputs: [] },
    inputs: [
      { name: 'color', type: 'Colors.Color', internalType: 'enum Colors.Color' },
      { name: 'parts', type: 'tuple[2]', components: [{ name: 'store', type: 'Colors.Data storage' }] },
    ],
  },
  {
    ...{ type: 'function', name: 'visit', stateMutability: 'view', outputs: [] },
    inputs: [{ name: 'callback', type: 'function', internalType: 'function (uint256) external' }],
  },
  {
    ...{ type: 'function', name: 'rate', stateMutability: 'view', inputs: [{ name: 'at', type: 'uint256' }] },
    outputs: [{ name: '', type: 'fixed128x18' }],
  },
  { type: 'event', name: 'Painted', inputs: [{ name: 'color', type: 'Colors.Color', indexed: false }] },
  { type: 'error', name: 'Unpainted', inputs: [{ name: 'color', type: 'Colors.Color' }] },
  'function get(uint256) view returns (uint256)',
  'event Got(uint256 value)',
];

test('accepts an interface with types outside the ABI specification, and rejects only calls to methods that use them', () => {
  const foreign = parseAbi(JSON.stringify(foreignAbi), 'interface');
  const described = describeInterface(foreign);
  expect(described.methods).toEqual([
    expect.objectContaining({ signature: 'get(uint256)' }),
    {
      ...{ name: 'paint', signature: 'paint(Colors.Color,(Colors.Data storage)[2])', view: false },
      inputs: [
        { name: 'color', type: 'Colors.Color' },
        { name: 'parts', type: '(Colors.Data storage)[2]' },
      ],
      outputs: [],
    },
    expect.objectContaining({ signature: 'visit(function)', view: true }),
    expect.objectContaining({ signature: 'rate(uint256)', outputs: [{ name: '', type: 'bytes' }] }),
  ]);
  expect(described.eventNames).toEqual(['Got']);
  // Parsing the stored interface again returns the same description.
  expect(describeInterface(parseAbi(described.interface, 'interface'))).toEqual(described);
  expect(selectMethod(foreign, 'get', 1, 'check').selector).toBe('0x9507d39a');
  // Only the method's result has a foreign type, so the selector is known.
  expect(selectMethod(foreign, 'rate', 1, 'check').format('sighash')).toBe('rate(uint256)');
  const refused = expect.objectContaining({
    problem: expect.objectContaining({
      code: 'unsupported-operation',
      detail: expect.stringMatching(/^paint\(Colors\.Color,.* \(Colors\.Color, Colors\.Data storage\)/),
      issues: [expect.objectContaining({ pointer: '/method_name' })],
    }),
  });
  expect(() => selectMethod(foreign, 'paint', 2, 'check')).toThrow(refused);
  expect(() => selectMethod(foreign, 'paint(Colors.Color,(Colors.Data storage)[2])', 2, 'check')).toThrow(
    refused,
  );
  expect(() => selectMethod(foreign, 'visit', 1, 'check')).toThrow(failing('unsupported-operation'));
});

test.each<[string, unknown, string]>([
  ['a mapping', { type: 'mapping(address => uint256) storage' }, 'f(mapping(address => uint256) storage)'],
  ['a kind before its name', { type: 'enum Lib.Color' }, 'f(enum Lib.Color)'],
])('rejects calls to a method with %s, but not calls to the other methods', (_, input, signature) => {
  const abi = [
    { type: 'function', name: 'f', stateMutability: 'nonpayable', inputs: [input], outputs: [] },
    'function g(struct Lib.Point point)',
    // The ABI specification says that a fragment without a type is a function.
    { name: 'ok', inputs: [], outputs: [] },
  ];
  const described = describeInterface(parseAbi(JSON.stringify(abi), 'interface'));
  expect(described.methods.map((one) => one.signature).toSorted()).toEqual([
    signature,
    'g(struct Lib.Point)',
    'ok()',
  ]);
  const again = parseAbi(described.interface, 'interface');
  expect(() => selectMethod(again, 'f', 1, 'check')).toThrow(failing('unsupported-operation'));
  expect(selectMethod(again, 'ok', 0, 'check').format('sighash')).toBe('ok()');
});

test('a call never selects another overload if the requested method has types outside the ABI', () => {
  const items = [
    'function draw(uint256)',
    'function draw(Colors.Color color) returns (Colors.Color[] memory)',
  ];
  const overloaded = parseAbi(JSON.stringify(items), 'interface');
  expect(() => selectMethod(overloaded, 'draw', 1, 'check')).toThrow(failing('ambiguous-method'));
  expect(selectMethod(overloaded, 'draw(uint256)', 1, 'check').format('sighash')).toBe('draw(uint256)');
  expect(() => selectMethod(overloaded, 'draw(Colors.Color)', 1, 'check')).toThrow(
    failing('unsupported-operation'),
  );
  expect(JSON.parse(describeInterface(overloaded).interface)[1]).toMatchObject({
    ...{ type: 'function', name: 'draw', inputs: [{ name: 'color', type: 'Colors.Color' }] },
    outputs: [{ type: 'Colors.Color[]' }],
  });
});

test('rejects a deployment whose constructor has types outside the ABI', () => {
  const creation = { type: 'constructor', inputs: [{ name: 'color', type: 'Colors.Color' }] };
  const foreign = parseAbi(JSON.stringify([creation]), 'interface');
  expect(describeInterface(foreign).constructorInputs).toEqual([{ name: 'color', type: 'Colors.Color' }]);
  expect(() => constructorOf(foreign, 'check')).toThrow(failing('unsupported-operation'));
});

test.each([
  [[{ type: 'function', name: 'f', inputs: [{ type: 7 }] }], /\/0: function f is not an ABI fragment/],
  [[{ type: 'function', name: 'f', inputs: [{ type: 'bad\u0000type' }] }], /\/0: function f is not/],
  [[{ type: 'function', name: 'f', inputs: [{ type: 'tuple' }] }], /\/0: function f is not/],
  [[{ type: 'function', inputs: [{ type: 'Color' }] }], /\/0: function is not/],
  [['get() view', 'function get(Colors.Color'], /\/0: is not .*; \/1: is not/],
  [[{ type: 'struct', name: 'S', inputs: [{ type: 'Color' }] }], /\/0: struct S is not/],
  [[{ type: 'function', name: 'f', inputs: [{ type: `Color${'[1]'.repeat(100)}` }] }], /function f is not/],
])(
  'the error names a fragment that is invalid for a reason other than a type outside the ABI: %j',
  (items, words) => {
    expect(() => parseAbi(JSON.stringify(items), 'interface')).toThrow(words);
  },
);

test('finds a method by its name, its argument count, or its signature', () => {
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

test('parses a method signature with tuples and arrays without an ABI', () => {
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

test('reports the JSON pointers of invalid ABI fragments, and prints nothing', () => {
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

test('parses the same ABI only once', () => {
  const cache = createAbiCache(1);
  const first = cache.parse(tokenTemplate.interface, 'check', '');
  expect(cache.parse(tokenTemplate.interface, 'check', '')).toBe(first);
  cache.parse('[]', 'check', '');
  expect(cache.parse(tokenTemplate.interface, 'check', '')).not.toBe(first);
});

test.each([
  ['tuples', (depth: number) => `f(${'('.repeat(depth)}uint8${')'.repeat(depth)})`],
  ['arrays', (depth: number) => `f(uint8${'[]'.repeat(depth)})`],
])(
  'parses a signature of nested %s up to the maximum depth, and rejects deeper nesting',
  (_what, signature) => {
    expect(readSignature(signature(12), 'check').name).toBe('f');
    expect(parseAbi(JSON.stringify([`function ${signature(12)}`]), 'check').methods).toHaveLength(1);
    expect(() => readSignature(signature(24), 'check')).toThrow(/must be a full signature/);
    expect(() => parseAbi(JSON.stringify([`function ${signature(24)}`]), 'check')).toThrow(/cannot be read/);
  },
);

test('rejects an ABI with too many values before creating its types', () => {
  const item = { type: 'function', name: 'f', inputs: [{ name: 'a', type: 'uint256' }], outputs: [] };
  const abi = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ ...item, name: `f${at}` })));
  expect(parseAbi(abi(1_000), 'check').methods).toHaveLength(1_000);
  expect(() => parseAbi(abi(5_000), 'check')).toThrow(/has too many values: at most 12000/);
  // Values are also counted after a duplicate key or an imprecise number.
  const after = (first: string) =>
    `[{"type":"function","name":"f",${first},"inputs":[]},${abi(5_000).slice(1)}`;
  expect(() => parseAbi(after('"a":1,"a":2'), 'check')).toThrow(/too many values/);
  expect(() => parseAbi(after('"a":12345678901234567890'), 'check')).toThrow(/too many values/);
});

const payableOf = (text: string) => parseAbi(text, 'interface').abi.deploy.payable;

test('reads a constructor as payable in every form that compilers have used', () => {
  const of = (more: object) => JSON.stringify([{ type: 'constructor', inputs: [], ...more }]);
  expect(payableOf(of({ stateMutability: 'payable' }))).toBe(true);
  expect(payableOf(of({ stateMutability: 'nonpayable' }))).toBe(false);
  expect(payableOf(of({ stateMutability: 'nonpayable', payable: true }))).toBe(false);
  // Compilers before 0.4.16 write `payable`. The earliest compilers write neither `payable` nor
  // `stateMutability`.
  expect(payableOf(of({ payable: true }))).toBe(true);
  expect(payableOf(of({ payable: false }))).toBe(false);
  expect(payableOf(of({}))).toBe(true);
  expect(payableOf('["constructor() payable"]')).toBe(true);
  expect(payableOf('["constructor()"]')).toBe(false);
  // If a contract has no constructor, the compiler generates one that is not payable.
  expect(payableOf('[]')).toBe(false);
});

test('keeps the payability and mutability that ABIs of old compilers state for methods', () => {
  const of = (more: object) =>
    parseAbi(JSON.stringify([{ type: 'function', name: 'f', inputs: [], outputs: [], ...more }]), 'interface')
      .methods[0];
  expect(of({ constant: true, payable: false })).toMatchObject({ constant: true, payable: false });
  expect(of({ constant: false, payable: true })).toMatchObject({ constant: false, payable: true });
  expect(of({ constant: false, payable: false })).toMatchObject({ constant: false, payable: false });
  expect(of({ payable: true })).toMatchObject({ constant: false, payable: true });
  expect(of({ stateMutability: 'pure' })).toMatchObject({ constant: true, payable: false });
});

test('describeInterface returns a valid JSON ABI with standard stateMutability values', () => {
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

test('rejects an ABI if its description would be too long to parse again', () => {
  const text = JSON.stringify(
    Array.from({ length: 1_900 }, (_, n) => `function method${n}(uint256) returns (bool)`),
  );
  const parsed = parseAbi(text, 'interface');
  expect(() => describeInterface(parsed)).toThrow(/is not an ABI: .*12000/);
});

test.each([
  ['types of objects', { type: `uint8${'[1]'.repeat(2_000)}` }],
  ['types of components', { type: 'tuple', components: [{ type: `uint8${'[]'.repeat(2_000)}` }] }],
  ['types in strings', { type: `tuple(${'uint8,'.repeat(1_000)}uint8)` }],
])('rejects %s that are too deep or too long before parsing them', async (_, input) => {
  const fragment = { type: 'function', name: 'f', stateMutability: 'view', inputs: [], outputs: [input] };
  const abi = JSON.stringify(Array.from({ length: 20 }, (__, at) => ({ ...fragment, name: `f${at}` })));
  await expectQuick(200, () => {
    expect(() => parseAbi(abi, 'interface')).toThrow(/fragments that cannot be read/);
  });
});

test.each([
  ['texts', Array.from({ length: 200 }, (_, at) => `function f${at}(${'uint8[1][1],'.repeat(200)}uint8)`)],
  [
    'dimensions',
    [
      {
        ...{ type: 'function', name: 'f', stateMutability: 'view', outputs: [] },
        inputs: Array.from({ length: 3_900 }, () => ({ type: `uint8${'[1]'.repeat(16)}` })),
      },
    ],
  ],
])('rejects an ABI with too many types in its %s before parsing them', async (_, abi) => {
  await expectQuick(300, () => {
    expect(() => parseAbi(JSON.stringify(abi), 'interface')).toThrow(/has more than 8192 types/);
  });
});

test('parses each signature once, even if an ABI has many methods', async () => {
  const abi = JSON.stringify(Array.from({ length: 2_000 }, (_, at) => `function f${at}(uint8[])`));
  const parsed = parseAbi(abi, 'interface');
  const name = `f7(${'uint8[][],'.repeat(400)}uint8)`;
  await expectQuick(200, () => {
    expect(() => selectMethod(parsed, name, 1, 'check')).toThrow(/is not a method of the contract/);
    expect(selectMethod(parsed, 'f7(uint8[])', 1, 'check').name).toBe('f7');
  });
});

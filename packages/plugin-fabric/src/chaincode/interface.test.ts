import { describe, expect, test } from 'vitest';
import { readArguments } from './arguments.ts';
import { describeInterface, parseMetadata, selectFunction } from './interface.ts';

/** As fabric-contract-api writes it, with a second contract and a type. */
const text = JSON.stringify({
  contracts: {
    Assets: {
      name: 'Assets',
      contractInstance: { name: 'Assets', default: true },
      transactions: [
        {
          name: 'Create',
          tag: ['SUBMIT', 'submitTx'],
          parameters: [
            { name: 'id', schema: { type: 'string', minLength: 1 } },
            { name: 'size', schema: { type: 'integer', format: 'int32', minimum: 1 } },
            { name: 'shared', schema: { type: 'boolean' } },
            { name: 'asset', schema: { $ref: '#/components/schemas/Asset' } },
            { name: 'rate', schema: { type: 'number' } },
            { name: 'tags', schema: { type: 'array', items: { type: 'string' } } },
          ],
        },
        {
          name: 'Read',
          tag: ['EVALUATE'],
          returns: [{ name: 'success', schema: { $ref: '#/components/schemas/Asset' } }],
        },
        { name: 'Count', tag: ['evaluate'], returns: { type: 'integer' } },
      ],
    },
    Trials: {
      name: 'Trials',
      transactions: [{ name: 'Fail', parameters: { m: { name: 'm', schema: { type: 'string' } } } }],
    },
    'org.hyperledger.fabric': { name: 'org.hyperledger.fabric', transactions: [{ name: 'GetMetadata' }] },
  },
  components: {
    schemas: {
      Asset: {
        type: 'object',
        properties: { id: { type: 'string' }, value: { type: 'integer' } },
        required: ['id'],
        additionalProperties: false,
      },
    },
  },
});
const metadata = parseMetadata(text, 'interface');

test('metadata are methods: names, types, and which of them change nothing', () => {
  expect(describeInterface(metadata).methods).toEqual([
    {
      name: 'Create',
      signature: 'Create(string,integer,boolean,Asset,number,array)',
      view: false,
      inputs: ['string id', 'integer size', 'boolean shared', 'Asset asset', 'number rate', 'array tags'].map(
        (one) => {
          const [type, name] = one.split(' ');
          return { name, type };
        },
      ),
      outputs: [],
    },
    { name: 'Read', signature: 'Read()', view: true, inputs: [], outputs: [{ name: '', type: 'Asset' }] },
    { name: 'Count', signature: 'Count()', view: true, inputs: [], outputs: [{ name: '', type: 'integer' }] },
    {
      name: 'Trials:Fail',
      signature: 'Trials:Fail(string)',
      view: false,
      inputs: [{ name: 'm', type: 'string' }],
      outputs: [],
    },
  ]);
});

test('a deployment takes no arguments', () => {
  expect(describeInterface(metadata).constructorInputs).toEqual([]);
});

test('the normalised text reads the same again', () => {
  const first = describeInterface(metadata);
  expect(describeInterface(parseMetadata(first.interface, 'interface'))).toEqual(first);
});

test.each([
  '',
  '{',
  '[]',
  '{"contracts": 1}',
  '{"contracts": {"A": {"transactions": [{"name": 1}]}}}',
  '{"contracts": {}}',
])('%j is refused, with the place', (wrong) => {
  expect(() => parseMetadata(wrong, 'interface', '/x')).toThrowError(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'invalid-argument',
        issues: [expect.objectContaining({ pointer: expect.stringMatching(/^\/x/) })],
      }),
    }),
  );
});

describe('a function', () => {
  test.each([
    ['Create', undefined, undefined, 'Create'],
    ['Assets:Create', undefined, undefined, 'Create'],
    ['Trials:Fail', undefined, 'Trials', 'Fail'],
    ['Fail', 'Trials', 'Trials', 'Fail'],
    ['Trials:Fail(string)', undefined, 'Trials', 'Fail'],
    ['Count()', undefined, undefined, 'Count'],
  ])('%s (contract %s) is found', (name, contract, expected, found) => {
    const selected = selectFunction(metadata, contract, name, 'check');
    expect([selected.contract, selected.transaction.name]).toEqual([expected, found]);
  });

  test.each([
    ['Nothing', undefined, 'unknown-method'],
    ['Fail', undefined, 'unknown-method'],
    ['Count(string)', undefined, 'unknown-method'],
    ['Fail', 'Nobody', 'unknown-contract'],
    ['Nobody:Fail', undefined, 'unknown-contract'],
  ])('%s (contract %s) is not: %s', (name, contract, code) => {
    expect(() => selectFunction(metadata, contract, name, 'check')).toThrowError(
      expect.objectContaining({ code }),
    );
  });
});

describe('arguments', () => {
  const { transaction } = selectFunction(metadata, undefined, 'Create', 'check');
  const good = ['a', '0x10', 'true', '{"id":"x","value":1}', '-1.5e3', '["a"]'];
  const read = (args: string[]) => readArguments(transaction, metadata.schemas, args, 'check');

  test('are texts as the chaincode parses them', () => {
    expect(read(good)).toEqual(['a', '16', 'true', '{"id":"x","value":1}', '-1.5e3', '["a"]']);
  });

  test.each([
    [0, '', '/args/0'],
    [0, '\ud800', '/args/0'],
    [1, '1.5', '/args/1'],
    [1, '0', '/args/1'],
    [1, '2147483648', '/args/1'],
    [2, 'yes', '/args/2'],
    [3, '{', '/args/3'],
    [3, '[]', '/args/3'],
    [3, '{"value":1}', '/args/3'],
    [3, '{"id":"x","value":"1"}', '/args/3/value'],
    [3, '{"id":"x","other":1}', '/args/3/other'],
    [4, '1,5', '/args/4'],
    [5, '["a",1]', '/args/5/1'],
  ])('number %i as %j is refused at %s', (index, value, pointer) => {
    expect(() => read(good.with(index, value))).toThrowError(
      expect.objectContaining({
        problem: expect.objectContaining({
          code: 'invalid-argument',
          issues: [expect.objectContaining({ pointer })],
        }),
      }),
    );
  });

  test('of a wrong number are refused', () => {
    expect(() => read(good.slice(1))).toThrowError(/must hold 6 arguments .* it holds 5/);
  });
});

describe('arguments that are long', () => {
  const schemas = {};
  const parameter = (name: string, schema: Record<string, unknown>) => ({ name, schema });
  const transaction = (...parameters: { name: string; schema: Record<string, unknown> }[]) => ({
    name: 'f',
    view: false,
    parameters,
    returns: undefined,
  });

  test('are held against a long list of allowed values in no more time than they have items', () => {
    // Counted and not timed: each allowed value is written once, and not once for each item.
    let written = 0;
    const allowed = Array.from({ length: 2_000 }, (_, at) => ({
      toJSON() {
        written += 1;
        return at;
      },
    }));
    const items = { type: 'array', items: { enum: allowed } };
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => at % 2_000));
    expect(readArguments(transaction(parameter('list', items)), schemas, [text], 'check')).toEqual([text]);
    expect(written).toBe(2_000);
  });

  test('are refused where they are structured and longer than all together may be', () => {
    const list = { type: 'array' };
    const text = JSON.stringify(['a'.repeat(100_000)]);
    const three = transaction(parameter('a', list), parameter('b', list), parameter('c', list));
    expect(() => readArguments(three, schemas, [text, text, text], 'check')).toThrow(/args\/2 is too long/);
    const plain = transaction(parameter('a', { type: 'string' }));
    expect(readArguments(plain, schemas, ['a'.repeat(1_000_000)], 'check')).toHaveLength(1);
  });

  test('metadata of more values than any has are refused', () => {
    const parameters = Array.from({ length: 9_000 }, () => ({ name: 'x' }));
    const text = JSON.stringify({
      contracts: { a: { name: 'a', transactions: [{ name: 'f', parameters }] } },
    });
    expect(() => parseMetadata(text, 'interface')).toThrow(/one value too many/);
    // Bounds of numbers in schemas do not end the counting.
    const after = `{"maximum":12345678901234567890,${text.slice(1)}`;
    expect(() => parseMetadata(after, 'interface')).toThrow(/one value too many/);
  });
});

import { describe, expect, test } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
import { readArguments } from './arguments.ts';
import { describeInterface, parseMetadata, selectFunction } from './interface.ts';
import { mismatchOf } from './json-schema.ts';

/** Metadata in the form of fabric-contract-api, with a second contract and a type. */
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

test('describes methods with their names and types, and whether they are read-only', () => {
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

test('parsing the description of metadata again returns the same description', () => {
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
])('rejects the metadata %j and names the invalid part', (wrong) => {
  expect(() => parseMetadata(wrong, 'interface', '/x')).toThrowError(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'invalid-argument',
        issues: [expect.objectContaining({ pointer: expect.stringMatching(/^\/x/) })],
      }),
    }),
  );
});

describe('selecting a function', () => {
  test.each([
    ['Create', undefined, undefined, 'Create'],
    ['Assets:Create', undefined, undefined, 'Create'],
    ['Trials:Fail', undefined, 'Trials', 'Fail'],
    ['Fail', 'Trials', 'Trials', 'Fail'],
    ['Trials:Fail(string)', undefined, 'Trials', 'Fail'],
    ['Count()', undefined, undefined, 'Count'],
  ])('selects the function by the name %s (contract %s)', (name, contract, expected, found) => {
    const selected = selectFunction(metadata, contract, name, 'check');
    expect([selected.contract, selected.transaction.name]).toEqual([expected, found]);
  });

  test.each([
    ['Nothing', undefined, 'unknown-method', '/method_name'],
    ['Fail', undefined, 'unknown-method', '/method_name'],
    ['Count(string)', undefined, 'unknown-method', '/method_name'],
    ['Fail', 'Nobody', 'unknown-contract', '/contract_instance/resource'],
    ['Nobody:Fail', undefined, 'unknown-contract', '/method_name'],
    ['org:Trials:Fail', undefined, 'unknown-contract', '/method_name'],
    [':Fail', undefined, 'unknown-contract', '/method_name'],
  ])('does not find the function %s (contract %s): %s at %s', (name, contract, code, pointer) => {
    expect(() => selectFunction(metadata, contract, name, 'check')).toThrowError(
      expect.objectContaining({
        code,
        problem: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
      }),
    );
  });
});

describe('reading arguments', () => {
  const { transaction } = selectFunction(metadata, undefined, 'Create', 'check');
  const good = ['a', '0x10', 'true', '{"id":"x","value":1}', '-1.5e3', '["a"]'];
  const read = (args: string[]) => readArguments(transaction, metadata.schemas, args, 'check');

  test('converts arguments to strings that the chaincode can parse', () => {
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
  ])('rejects argument %i with the value %j at %s', (index, value, pointer) => {
    expect(() => read(good.with(index, value))).toThrowError(
      expect.objectContaining({
        problem: expect.objectContaining({
          code: 'invalid-argument',
          issues: [expect.objectContaining({ pointer })],
        }),
      }),
    );
  });

  test('rejects a wrong number of arguments', () => {
    expect(() => read(good.slice(1))).toThrowError(/must contain 6 arguments .* but contains 5/);
  });
});

test.each([
  ['a type that JSON Schema does not have', { type: 'map' }],
  ['a reference that the metadata does not define', { $ref: '#/components/schemas/Missing' }],
  ['nested types that are unknown', { type: 'array', items: { type: 'map' } }],
])('accepts metadata with %s, because only the chaincode validates such values', (_, schema) => {
  const parameters = [{ name: 'one', schema }];
  const text = JSON.stringify({
    contracts: { A: { name: 'A', transactions: [{ name: 'f', parameters }] } },
    components: { schemas: {} },
  });
  const parsed = parseMetadata(describeInterface(parseMetadata(text, 'interface')).interface, 'interface');
  const { transaction } = selectFunction(parsed, undefined, 'f', 'check');
  expect(readArguments(transaction, parsed.schemas, ['[1]'], 'check')).toEqual(['[1]']);
});

describe('long arguments', () => {
  const schemas = {};
  const parameter = (name: string, schema: Record<string, unknown>) => ({ name, schema });
  const transaction = (...parameters: { name: string; schema: Record<string, unknown> }[]) => ({
    name: 'f',
    view: false,
    parameters,
    returns: undefined,
  });

  test('validates long arguments against a long enum in linear time', () => {
    // Each allowed value must be serialized only once, not once per item.
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

  test('rejects structured arguments that exceed the total length', () => {
    const list = { type: 'array' };
    const text = JSON.stringify(['a'.repeat(100_000)]);
    const three = transaction(parameter('a', list), parameter('b', list), parameter('c', list));
    expect(() => readArguments(three, schemas, [text, text, text], 'check')).toThrow(/args\/2 is too long/);
    const plain = transaction(parameter('a', { type: 'string' }));
    expect(readArguments(plain, schemas, ['a'.repeat(1_000_000)], 'check')).toHaveLength(1);
  });

  test('rejects metadata with too many values', () => {
    const parameters = Array.from({ length: 9_000 }, () => ({ name: 'x' }));
    const text = JSON.stringify({
      contracts: { a: { name: 'a', transactions: [{ name: 'f', parameters }] } },
    });
    expect(() => parseMetadata(text, 'interface')).toThrow(/has too many values: at most 12000/);
    // Values are counted even after an imprecise number.
    const after = `{"maximum":12345678901234567890,${text.slice(1)}`;
    expect(() => parseMetadata(after, 'interface')).toThrow(/too many values/);
  });
});

test('limits the length of contract and type names, because the description repeats them for each function', () => {
  const transactions = Array.from({ length: 2_000 }, (_, at) => ({ name: `t${at}` }));
  const metadata = { contracts: { a: { default: true }, ['n'.repeat(300_000)]: { transactions } } };
  expect(() => parseMetadata(JSON.stringify(metadata), 'interface')).toThrow(/not contract metadata/);
  const schema = { $ref: `#/components/schemas/${'t'.repeat(300_000)}` };
  const typed = { contracts: { a: { transactions: [{ name: 'f', parameters: [{ name: 'x', schema }] }] } } };
  const { methods } = describeInterface(parseMetadata(JSON.stringify(typed), 'interface'));
  expect(methods[0]?.signature.length).toBeLessThan(300);
});

test('does not search a list of thousands of types for each item of an argument', async () => {
  const types = Array.from({ length: 11_000 }, () => 'null');
  const schema = { type: 'array', items: { type: [...types, 'string'] } };
  const value = Array.from({ length: 200_000 }, () => 'a');
  await expectQuick(1_000, () => {
    expect(mismatchOf(value, schema, {})).toBeUndefined();
    expect(mismatchOf([1], schema, {})?.detail).toBe('must be of type null or string');
    expect(mismatchOf([1], { items: { type: ['null', 'strange'] } }, {})).toBeUndefined();
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
import { contentLimits, GloError, type Json, type JsonSchema, readSchema } from '../index.ts';

/** Returns the normalized form, or pointers with details. */
function read(schema: JsonSchema, value: unknown): unknown {
  const { value: normal, issues } = readSchema(schema).read(value);
  return issues.length === 0 ? normal : issues.map(({ pointer, detail }) => [pointer, detail]);
}

function refusal(schema: unknown): [string, string][] {
  try {
    readSchema(schema);
  } catch (error) {
    if (error instanceof GloError) return error.issues.map(({ pointer, detail }) => [pointer, detail]);
    throw error;
  }
  throw new Error('expected a GloError');
}

const closed = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});

describe('a value', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a type', { type: 'string' }, 5, [['', 'must be text, not a number']]],
    ['several types', { type: ['string', 'null'] }, 5, [['', 'must be text or null, not a number']]],
    ['an integer', { type: 'integer' }, 1.5, [['', 'must be an integer, not a number']]],
    ['true or false', { type: 'boolean' }, 'x', [['', 'must be true or false, not text']]],
    ['a member', closed({ a: { type: 'string' } }), { a: null }, [['/a', 'must be text, not null']]],
    ['a required member', closed({ a: {} }, { required: ['a'] }), {}, [['/a', 'is required']]],
    [
      'an unknown member',
      closed({}),
      { 'a/b~': 1 },
      [['/a~1b~0', 'is not a known member; remove it or correct its name']],
    ],
    ['an allowed value', { enum: ['a', 1] }, 'hunter2', [['', 'must be "a" or 1']]],
    ['one allowed value', { const: 'a' }, 'b', [['', 'must be "a"']]],
    ['a pattern', { type: 'string', pattern: '^a+$' }, 'b', [['', 'must match the pattern "^a+$"']]],
    [
      'a pattern in words',
      { type: 'string', pattern: '^a+$', 'x-detail': 'must be some a' },
      'b',
      [['', 'must be some a']],
    ],
    ['a shortest text', { type: 'string', minLength: 1 }, '', [['', 'must not be empty']]],
    ['a longest text', { type: 'string', maxLength: 2 }, 'abc', [['', 'must have at most 2 characters']]],
    ['a smallest number', { type: 'number', minimum: 1 }, 0, [['', 'must be at least 1']]],
    ['a largest number', { type: 'number', maximum: 1 }, 2, [['', 'must be at most 1']]],
    ['a number above an exclusive minimum', { exclusiveMinimum: 1 }, 1, [['', 'must be greater than 1']]],
    [
      'a number that JSON preserves',
      {},
      2 ** 60,
      [['', expect.stringContaining('write a larger number as text')]],
    ],
    ['fewest items', { type: 'array', minItems: 1 }, [], [['', 'must have at least 1 item']]],
    ['most items', { type: 'array', maxItems: 1 }, [1, 2], [['', 'must have at most 1 items']]],
    [
      'an item',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      [['/1', 'must be text, not a number']],
    ],
    [
      'names of a map',
      { propertyNames: { pattern: '^[a-z]+$', 'x-detail': 'must be letters' } },
      { A: 1 },
      [['/A', 'has an invalid name: must be letters']],
    ],
    [
      'values of a map',
      { additionalProperties: { type: 'string' } },
      { a: 1 },
      [['/a', 'must be text, not a number']],
    ],
    ['members of a map', { maxProperties: 1 }, { a: 1, b: 1 }, [['', 'must have at most 1 items']]],
    [
      'members that depend on each other',
      { dependentRequired: { a: ['b', 'c'] } },
      { a: 1, c: 1 },
      [['/b', 'is required when a is given']],
    ],
    ['a quantity', { format: 'quantity' }, '1.5', [['', expect.stringContaining('non-negative integer')]]],
    ['a large quantity', { format: 'quantity', maximum: 5 }, '0x6', [['', 'must be at most 5']]],
    ['base64', { format: 'base64' }, 'a', [['', expect.stringContaining('base64')]]],
    ['hex', { format: 'hex' }, '0x1', [['', expect.stringContaining('hexadecimal')]]],
    ['a URI', { format: 'uri' }, 'nowhere', [['', expect.stringContaining('URI')]]],
    ['PEM', { format: 'pem' }, 'nothing', [['', expect.stringContaining('PEM')]]],
    ['Unicode', {}, '\ud800', [['', expect.stringContaining('surrogates')]]],
    ['only JSON', {}, { a: 1n }, [['/a', 'must be JSON, not a bigint']]],
  ])('a value must satisfy the schema: %s', (_, schema, value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });

  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a quantity as decimal text', closed({ a: { format: 'quantity' } }), { a: '0x10' }, { a: '16' }],
    ['a quantity within lists', { items: { format: 'quantity' } }, [1, '007'], ['1', '7']],
    ['one of two alternatives', { anyOf: [{ format: 'quantity' }, { const: 'max' }] }, 'max', 'max'],
    ['one of two alternatives, normalized', { anyOf: [{ const: 'max' }, { format: 'quantity' }] }, 7, '7'],
    ['no negative zero', {}, [-0], [0]],
    [
      'names that every JavaScript object has',
      {},
      { constructor: 1, toString: 2 },
      { constructor: 1, toString: 2 },
    ],
    [
      'URIs and PEM',
      closed({ uri: { format: 'uri' }, pem: { format: 'pem' } }),
      { uri: 'grpcs://a.example:7051', pem: '-----BEGIN X-----\nAA==\n-----END X-----\n' },
      { uri: 'grpcs://a.example:7051', pem: '-----BEGIN X-----\nAA==\n-----END X-----\n' },
    ],
  ])('a value is normalized: %s', (_, schema, value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });

  it('reports only the issues of the alternative that a value was meant to match', () => {
    const schema = {
      anyOf: [{ type: 'string' }, closed({ amount: { format: 'quantity' } }, { required: ['amount'] })],
    };
    expect(read(schema, { amount: 'x' })).toEqual([['/amount', expect.stringContaining('integer')]]);
    expect(read(schema, 5)).toEqual([['', 'does not match any of the allowed forms']]);
  });

  it('validates a value against both anyOf and the keywords next to it', () => {
    const schema = closed({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(read(schema, { a: 1 })).toEqual({ a: 1 });
    expect(read(schema, { c: 1 })).toEqual([['/c', expect.any(String)]]);
  });

  it('details of issues never quote a value', () => {
    const schema = closed({
      ...{ a: { type: 'string', pattern: '^x$' }, b: { enum: ['x'] }, c: { format: 'pem' }, d: { const: 1 } },
      ...{
        e: { format: 'quantity' },
        f: { type: 'number' },
        g: { maxLength: 2 },
        h: { anyOf: [{ type: 'null' }] },
      },
    });
    const value = Object.fromEntries([...'abcdefgh'].map((name) => [name, 'hunter2']));
    const { issues } = readSchema(schema).read(value);
    expect(issues).toHaveLength(8);
    expect(JSON.stringify(issues)).not.toContain('hunter2');
  });
});

describe('secrets', () => {
  const schema = closed({
    password: { type: 'string', writeOnly: true },
    map: { type: 'object', additionalProperties: { type: 'string', writeOnly: true } },
    whole: { type: 'object', writeOnly: true },
    list: { type: 'array', items: closed({ key: { type: 'string', writeOnly: true }, name: {} }) },
    name: {},
  });
  const secrets = readSchema(schema);

  it('omits secrets and keeps the names of maps', () => {
    const value = {
      ...{ password: 'hunter2', map: { price: 'hunter2' }, whole: { a: 'hunter2' }, name: 'x' },
      list: [{ key: 'hunter2', name: 'a' }],
    };
    expect(secrets.withoutSecrets(value)).toEqual({ map: { price: '' }, name: 'x', list: [{ name: 'a' }] });
    expect(value.password).toBe('hunter2');
    expect(secrets.read(value).secretLength).toBe(4 * 'hunter2'.length + 1);
  });

  it('leaves a value without secrets unchanged', () => {
    const value = { map: {}, name: 'x', list: [{ name: 'a' }] };
    expect(secrets.withoutSecrets(value)).toBe(value);
  });

  it('refuses secrets at positions where they cannot be omitted', () => {
    const text = { type: 'string', writeOnly: true };
    expect(refusal({ items: text })).toEqual([['/items/writeOnly', expect.any(String)]]);
    expect(refusal(text)).toEqual([['/writeOnly', expect.any(String)]]);
    expect(refusal({ propertyNames: text })).toEqual([['/propertyNames/writeOnly', expect.any(String)]]);
    expect(refusal({ anyOf: [text] })).toEqual([['/anyOf', expect.any(String)]]);
    expect(refusal({ additionalProperties: { writeOnly: true } })).toEqual([
      ['/additionalProperties/writeOnly', expect.any(String)],
    ]);
  });
});

describe('wallets', () => {
  const wallet = { type: 'string', 'x-wallet': true };
  const named = readSchema(
    closed({
      payer: wallet,
      list: { type: 'array', items: closed({ 'a/b': wallet }) },
      map: { additionalProperties: wallet },
      name: {},
    }),
  );

  it('replaceWallets passes each wallet with its pointer to the callback, and replaces it with the result', () => {
    const value = { payer: 'a', list: [{}, { 'a/b': 'b' }], map: { c: 'c' }, name: 'a' };
    const places: string[] = [];
    const replaced = named.replaceWallets(value, (text, pointer) => {
      places.push(pointer);
      return `${text}!`;
    });
    expect(places).toEqual(['/payer', '/list/1/a~1b', '/map/c']);
    expect(replaced).toEqual({ payer: 'a!', list: [{}, { 'a/b': 'b!' }], map: { c: 'c!' }, name: 'a' });
    expect(named.replaceWallets(value, (text) => text)).toBe(value);
  });

  it.each<[JsonSchema, string]>([
    [{ 'x-wallet': true }, '/x-wallet'],
    [{ 'x-wallet': true, format: 'quantity' }, '/x-wallet'],
    [{ ...wallet, 'x-wallet': 'yes' }, '/x-wallet'],
    [{ anyOf: [wallet, { type: 'object' }] }, '/anyOf'],
    [{ properties: { a: { ...wallet, writeOnly: true } } }, '/properties/a/writeOnly'],
    [{ properties: { a: { properties: { b: wallet }, writeOnly: true } } }, '/properties/a/writeOnly'],
    [{ propertyNames: wallet }, '/propertyNames/x-wallet'],
  ])('refuses x-wallet on anything but a non-secret string: %j', (schema, pointer) => {
    expect(refusal(schema)).toEqual([[pointer, expect.any(String)]]);
  });
});

describe('a schema', () => {
  it.each<[unknown, string]>([
    [null, ''],
    [true, ''],
    ['{}', ''],
    [{ $ref: '#' }, '/$ref'],
    [{ not: {} }, '/not'],
    [{ patternProperties: {} }, '/patternProperties'],
    [{ properties: { a: { allOf: [] } } }, '/properties/a/allOf'],
    [{ type: 'text' }, '/type'],
    [{ type: [] }, '/type'],
    [{ enum: [] }, '/enum'],
    [{ enum: [{}] }, '/enum'],
    [{ properties: [] }, '/properties'],
    [{ properties: { 'a/b': 1 } }, '/properties/a~1b'],
    [JSON.parse('{"properties":{"__proto__":{}}}'), '/properties/__proto__'],
    [JSON.parse('{"__proto__":{}}'), '/__proto__'],
    [{ constructor: 1 }, '/constructor'],
    [{ required: 'a' }, '/required'],
    [{ minLength: -1 }, '/minLength'],
    [{ maximum: '5' }, '/maximum'],
    [{ items: [] }, '/items'],
    [{ anyOf: [] }, '/anyOf'],
    [{ additionalProperties: 1 }, '/additionalProperties'],
    [{ dependentRequired: { a: 'b' } }, '/dependentRequired/a'],
    [{ format: 'email' }, '/format'],
    [{ format: 'constructor' }, '/format'],
    [{ format: 'quantity', pattern: 'x' }, '/pattern'],
    [{ writeOnly: 'yes' }, '/writeOnly'],
    [{ 'x-detail': 'x'.repeat(1000) }, '/x-detail'],
    [{ pattern: '(' }, '/pattern'],
    [{ pattern: '(?=a)' }, '/pattern'],
    [{ pattern: '(a)\\1' }, '/pattern'],
    [{ pattern: 'a{5000}' }, '/pattern'],
    [{ pattern: 'a'.repeat(2000) }, '/pattern'],
  ])('refuses the schema %j and names the position', (schema, pointer) => {
    expect(refusal(schema).map(([at]) => at)).toContain(pointer);
  });

  it('reports every fault of a schema at once', () => {
    expect(refusal({ a: 1, type: 'x', properties: { b: { c: 1 } } })).toHaveLength(3);
  });

  it('accepts titles, examples and keywords for the host', () => {
    const words = { title: 't', description: 'd', default: {}, examples: [1], $comment: 'c' };
    expect(
      read({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...words, 'x-address': true }, 5),
    ).toBe(5);
  });

  it('refuses a schema that is too large or too deep', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { items: deep };
    const many = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`k${index}`, {}]));
    const long = { description: 'x'.repeat(contentLimits.schemaText + 1) };
    let nested: unknown = {};
    for (let level = 0; level < 30; level += 1) nested = { items: nested };
    for (const schema of [deep, { properties: many }, long, nested]) {
      expect(refusal(schema).length).toBeGreaterThan(0);
    }
  });
});

describe('a malicious schema', () => {
  const quickly = (run: (attempt: number) => void, mostMs = 3_000) => expectQuick(mostMs, run);

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(a?){500}a{500}$'])(
    'a pattern takes linear time: %s',
    async (pattern) => {
      await quickly(() => {
        const schema = readSchema({ type: 'string', pattern });
        for (const length of [30, 1000, 100_000]) schema.read(`${'a'.repeat(length)}!`);
      });
    },
  );

  it("limits a string's length so that its pattern stays within the step limit", async () => {
    const schema = readSchema({ type: 'string', pattern: `^(?:[a-z]{1,500}[0-9]{1,500}){1}$` });
    await quickly(() => {
      expect(schema.read('a'.repeat(4_000_000)).issues).toEqual([
        { pointer: '', detail: expect.stringMatching(/^must have at most \d+ characters$/) },
      ]);
    });
  });

  const doubling = '^(?:[ab]*a[ab]{50}c|\\Bd)$';
  const letters = Array.from({ length: 12_000 }, (_, at) => ((at * at + (at >> 3)) % 5 < 2 ? 'a' : 'b')).join(
    '',
  );

  it.each([20, 400])('limits the total matching steps of %i patterns on one string', async (count) => {
    const forms = Array.from({ length: count }, (_, at) => ({
      type: 'string',
      pattern: count > 100 ? `^${at}a*b*$` : doubling.replace('d', `d${at}`),
    }));
    const schema = readSchema({ type: 'object', properties: { memo: { anyOf: forms } } });
    const memo = letters.slice(0, count > 100 ? 12_000 : 4_000);
    await quickly(() => {
      expect(schema.read({ memo }).issues).toEqual([
        { pointer: '', detail: expect.stringContaining('steps'), alone: true },
      ]);
    }, 400);
  });

  it('limits the total matching steps of a pattern across all strings of a document', async () => {
    const schema = readSchema({ items: { type: 'string', pattern: doubling } });
    await quickly(() => {
      expect(schema.read(Array.from({ length: 2_000 }, () => letters.slice(0, 100))).issues).toEqual([
        { pointer: '', detail: expect.stringContaining('steps'), alone: true },
      ]);
    }, 400);
    const addresses = readSchema({ items: { type: 'string', pattern: '^0x[0-9a-f]{40}$' } });
    expect(addresses.read(Array.from({ length: 1_000 }, () => `0x${'a'.repeat(40)}`)).issues).toEqual([]);
  });

  it.each([
    ['repetitions', Array.from({ length: 128 }, () => '.{1000}').join('')],
    ['nested repetitions', Array.from({ length: 60 }, () => '((a{0,30}){0,30})').join('')],
    ['quoted groups', `(a{100}\\Q)\\E${'(?:b{500})'.repeat(60)})`],
    ['case-insensitive ranges', `(?i)[${'B-\\x{1E942}'.repeat(80)}]`],
    ['Unicode properties', `(?:${'\\pL{1000}'.repeat(80)})`],
  ])('refuses a schema before its %s are compiled', async (_, pattern) => {
    await quickly((attempt) => {
      expect(refusal({ pattern: `${pattern}${attempt}` })).toEqual([
        ['/pattern', expect.stringContaining('takes too long to compile')],
      ]);
    }, 200);
  });

  it('refuses many short patterns with too much total weight before compiling them', async () => {
    await quickly((attempt) => {
      const pattern = (at: number) => `^[a-z]{1,99}${attempt}x${at}$`;
      const properties = Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [`m${at}`, { type: 'string', pattern: pattern(at) }]),
      );
      expect(refusal({ properties })).toEqual([
        [
          expect.stringMatching(/^\/properties\/m\d+\/pattern$/),
          expect.stringContaining('takes too long to compile'),
        ],
      ]);
    }, 500);
  });

  it('does not compile the patterns of a schema again', async () => {
    const pattern = `^${'(?:[ab]|c{30}){9}'.repeat(10)}$`;
    readSchema({ pattern });
    await quickly(() => {
      for (let again = 0; again < 500; again += 1) readSchema({ pattern });
    }, 300);
  });

  it('limits the work of validating member names', async () => {
    const names = Array.from({ length: 8_000 }, (_, at) => `n${at}`);
    const empty = Array.from({ length: 60_000 }, () => ({}));
    for (const items of [{ required: names }, { dependentRequired: { a: names } }]) {
      await quickly(() => {
        expect(readSchema({ items }).read(empty).issues).toEqual([
          { pointer: '', detail: expect.any(String), alone: true },
        ]);
      }, 500);
    }
  });

  it('limits the number of issues that a schema reports', async () => {
    const long = 'n'.repeat(255);
    const items = { properties: { [long]: { items: { type: 'string' } } } };
    await quickly(() => {
      expect(readSchema(items).read({ [long]: Array.from({ length: 60_000 }, () => 1) }).issues).toEqual([
        { pointer: '', detail: 'has too many problems to list', alone: true },
      ]);
    }, 500);
    expect(refusal({ properties: { [`${long}nn`]: {} } })).toHaveLength(1);
  });

  it('limits the number of alternatives that contain secrets', () => {
    const form = { properties: { key: { type: 'string', writeOnly: true } } };
    expect(refusal({ anyOf: Array.from({ length: 500 }, () => form) })).toEqual([
      ['/anyOf', expect.stringContaining('alternatives')],
    ]);
  });

  it('limits how often one value is validated against alternatives', async () => {
    let forms: JsonSchema = { type: 'string' };
    for (let level = 0; level < 10; level += 1) forms = { anyOf: [forms, { type: 'null' }] };
    const schema = readSchema({ items: { anyOf: Array.from({ length: 40 }, () => forms) } });
    await quickly(() => {
      expect(schema.read(Array.from({ length: 60_000 }, () => 5)).issues).toEqual([
        { pointer: '', detail: 'has too many problems to list', alone: true },
      ]);
    });
  });
});

describe('any JSON', () => {
  it('limits the depth, the number of values, and the lengths of strings and names of any JSON value', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const large: [unknown, RegExp][] = [
      [deep, /deeper/],
      [Array.from({ length: 70_000 }, () => 0), /values/],
      [Array.from({ length: 5 }, () => 'x'.repeat(1_000_000)), /characters of text/],
      [{ ['x'.repeat(300)]: 1 }, /at most 256 characters/],
      [JSON.parse('{"a":{"__proto__":1}}'), /reserved name/],
    ];
    for (const [value, detail] of large) {
      const { issues } = readSchema({}).read(value);
      expect(issues).toHaveLength(1);
      expect(issues[0]?.detail).toMatch(detail);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('the empty schema returns any JSON unchanged, even when it reads its own result', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), (value) => {
        const { value: once, issues } = readSchema({}).read(value);
        if (issues.length > 0) return;
        expect(readSchema({}).read(once).value).toEqual(once);
        expect(once).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** Random schemas of the supported subset. */
const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array'),
          fc.constant(['string', 'null']),
        ),
        minLength: fc.nat(3),
        maxLength: fc.nat(6),
        pattern: fc.constantFrom('^[a-z]*$', '^(a|b)+$', '[0-9]'),
        minimum: fc.integer({ min: -3, max: 3 }),
        maximum: fc.integer({ min: -3, max: 3 }),
        exclusiveMinimum: fc.integer({ min: -3, max: 3 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom<Json>('a', 'b', 1, true, null), { minLength: 1 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        minItems: fc.nat(2),
        maxItems: fc.nat(3),
      },
      { requiredKeys: ['type'], noNullPrototype: true },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.record(
          { a: tie('schema'), b: tie('schema') },
          { requiredKeys: [], noNullPrototype: true },
        ),
        required: fc.uniqueArray(fc.constantFrom('a', 'b')),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        maxProperties: fc.nat(3),
        dependentRequired: fc.record({ a: fc.constant(['b']) }),
        propertyNames: fc.record({ maxLength: fc.nat(2) }),
      },
      { requiredKeys: ['type'], noNullPrototype: true },
    ),
    // Each is JSON, which the record types do not express.
  ) as fc.Arbitrary<JsonSchema>,
})).schema;
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('', 'a', 'ab', 'x1', 'abcdefgh', 0, 1, 2, -3, 1.5, true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'long'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

describe('for every schema and value', () => {
  it('accepts a value if and only if another validator accepts it', () => {
    // Compilation takes most of the time, so each schema validates several values.
    const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
    const several = fc.array(values, { minLength: 3, maxLength: 8, size: 'max' });
    fc.assert(
      fc.property(schemas, several, (schema, given) => {
        const own = readSchema(schema);
        const passes = ajv.compile(schema);
        for (const value of given) expect(own.read(value).issues.length === 0).toBe(passes(value));
      }),
      { numRuns: 300 },
    );
  });

  it('normalizing a normalized value does not change it, and the value is JSON', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const { value: once, issues } = readSchema(schema).read(value);
        if (issues.length > 0) return;
        expect(readSchema(schema).read(once)).toMatchObject({ value: once, issues: [] });
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
    );
  });

  it('reading any schema and validating any value throws nothing but a GloError', () => {
    const anything = fc.anything({
      withBigInt: true,
      withNullPrototype: true,
      withMap: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(fc.oneof(anything, schemas), anything, (schema, value) => {
        try {
          const { issues } = readSchema(schema).read(value, '/at');
          expect(issues.every(({ pointer }) => pointer.startsWith('/at'))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(GloError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

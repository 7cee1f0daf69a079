import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentLimits, GloError, type Json, type JsonSchema, readSchema } from '../index.ts';

/** The normal form, or pointers with details. */
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
      'a member that is not known',
      closed({}),
      { 'a/b~': 1 },
      [['/a~1b~0', 'is not a known member here; remove it or correct its name']],
    ],
    ['an allowed value', { enum: ['a', 1] }, 'hunter2', [['', 'must be "a" or 1']]],
    ['one allowed value', { const: 'a' }, 'b', [['', 'must be "a"']]],
    ['a pattern', { type: 'string', pattern: '^a+$' }, 'b', [['', 'must have the form "^a+$"']]],
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
    ['a number above', { exclusiveMinimum: 1 }, 1, [['', 'must be more than 1']]],
    ['a number that JSON keeps', {}, 2 ** 60, [['', expect.stringContaining('give a larger one as text')]]],
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
      [['/A', 'has an unusable name: must be letters']],
    ],
    [
      'values of a map',
      { additionalProperties: { type: 'string' } },
      { a: 1 },
      [['/a', 'must be text, not a number']],
    ],
    ['members of a map', { maxProperties: 1 }, { a: 1, b: 1 }, [['', 'must have at most 1 items']]],
    [
      'members that go together',
      { dependentRequired: { a: ['b', 'c'] } },
      { a: 1, c: 1 },
      [['/b', 'is required beside a']],
    ],
    ['a quantity', { format: 'quantity' }, '1.5', [['', expect.stringContaining('non-negative integer')]]],
    ['a large quantity', { format: 'quantity', maximum: 5 }, '0x6', [['', 'must be at most 5']]],
    ['base64', { format: 'base64' }, 'a', [['', expect.stringContaining('base64')]]],
    ['hex', { format: 'hex' }, '0x1', [['', expect.stringContaining('hexadecimal')]]],
    ['a URI', { format: 'uri' }, 'nowhere', [['', expect.stringContaining('URI')]]],
    ['PEM', { format: 'pem' }, 'nothing', [['', expect.stringContaining('PEM')]]],
    ['Unicode', {}, '\ud800', [['', expect.stringContaining('surrogates')]]],
    ['nothing but JSON', {}, { a: 1n }, [['/a', 'must be JSON, not a bigint']]],
  ])('is held to %s', (_, schema, value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });

  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a quantity as decimal text', closed({ a: { format: 'quantity' } }), { a: '0x10' }, { a: '16' }],
    ['a quantity within lists', { items: { format: 'quantity' } }, [1, '007'], ['1', '7']],
    ['one of two forms', { anyOf: [{ format: 'quantity' }, { const: 'max' }] }, 'max', 'max'],
    ['one of two forms, normalised', { anyOf: [{ const: 'max' }, { format: 'quantity' }] }, 7, '7'],
    ['no negative zero', {}, [-0], [0]],
    ['names that every object has', {}, { constructor: 1, toString: 2 }, { constructor: 1, toString: 2 }],
    [
      'URIs and PEM',
      closed({ uri: { format: 'uri' }, pem: { format: 'pem' } }),
      { uri: 'grpcs://a.example:7051', pem: '-----BEGIN X-----\nAA==\n-----END X-----\n' },
      { uri: 'grpcs://a.example:7051', pem: '-----BEGIN X-----\nAA==\n-----END X-----\n' },
    ],
  ])('is normalised to %s', (_, schema, value, expected) => {
    expect(read(schema, value)).toEqual(expected);
  });

  it('of several forms is told what is wrong with the one that was meant', () => {
    const schema = {
      anyOf: [{ type: 'string' }, closed({ amount: { format: 'quantity' } }, { required: ['amount'] })],
    };
    expect(read(schema, { amount: 'x' })).toEqual([['/amount', expect.stringContaining('integer')]]);
    expect(read(schema, 5)).toEqual([['', 'has none of the forms that it may have']]);
  });

  it('obeys what stands beside its forms, too', () => {
    const schema = closed({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(read(schema, { a: 1 })).toEqual({ a: 1 });
    expect(read(schema, { c: 1 })).toEqual([['/c', expect.any(String)]]);
  });

  it('does not come back in a detail', () => {
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

  it('are left out; of a map the names stay', () => {
    const value = {
      ...{ password: 'hunter2', map: { price: 'hunter2' }, whole: { a: 'hunter2' }, name: 'x' },
      list: [{ key: 'hunter2', name: 'a' }],
    };
    expect(secrets.withoutSecrets(value)).toEqual({ map: { price: '' }, name: 'x', list: [{ name: 'a' }] });
    expect(value.password).toBe('hunter2');
    expect(secrets.read(value).secretLength).toBe(4 * 'hunter2'.length + 1);
  });

  it('leave a value without them as it is', () => {
    const value = { map: {}, name: 'x', list: [{ name: 'a' }] };
    expect(secrets.withoutSecrets(value)).toBe(value);
  });

  it('may stand only where they can be left out', () => {
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

  it('are found with their places, and replaced', () => {
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
  ])('are texts in the open: %j', (schema, pointer) => {
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
  ])('%j is refused with its place', (schema, pointer) => {
    expect(refusal(schema).map(([at]) => at)).toContain(pointer);
  });

  it('names every mistake at once', () => {
    expect(refusal({ a: 1, type: 'x', properties: { b: { c: 1 } } })).toHaveLength(3);
  });

  it('has titles, examples and what the host reads beside', () => {
    const words = { title: 't', description: 'd', default: {}, examples: [1], $comment: 'c' };
    expect(
      read({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...words, 'x-address': true }, 5),
    ).toBe(5);
  });

  it('is refused when it is too large or too deep', () => {
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

describe('a hostile schema', () => {
  /** How long a thing took of a processor, against a bound that a loaded machine keeps too. */
  function quickly(run: () => void): void {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(3_000_000);
  }

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(a?){500}a{500}$'])(
    'has patterns that take linear time: %s',
    (pattern) => {
      quickly(() => {
        const schema = readSchema({ type: 'string', pattern });
        for (const length of [30, 1000, 100_000]) schema.read(`${'a'.repeat(length)}!`);
      });
    },
  );

  it('takes a text only as long as its pattern can be tested', () => {
    const schema = readSchema({ type: 'string', pattern: `^(?:[a-z]{1,500}[0-9]{1,500}){1}$` });
    quickly(() => {
      expect(schema.read('a'.repeat(4_000_000)).issues).toEqual([
        { pointer: '', detail: expect.stringMatching(/^must have at most \d+ characters$/) },
      ]);
    });
  });

  it('cannot make one value be looked at without end', () => {
    let forms: JsonSchema = { type: 'string' };
    for (let level = 0; level < 10; level += 1) forms = { anyOf: [forms, { type: 'null' }] };
    const schema = readSchema({ items: { anyOf: Array.from({ length: 40 }, () => forms) } });
    quickly(() => {
      expect(schema.read(Array.from({ length: 60_000 }, () => 5)).issues).toEqual([
        { pointer: '', detail: expect.stringContaining('values to look at'), alone: true },
      ]);
    });
  });
});

describe('any JSON', () => {
  it('is bounded in depth, values, texts and names', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const large: [unknown, RegExp][] = [
      [deep, /deeper/],
      [Array.from({ length: 70_000 }, () => 0), /values/],
      [Array.from({ length: 5 }, () => 'x'.repeat(1_000_000)), /characters of text/],
      [{ ['x'.repeat(300)]: 1 }, /at most 256 characters/],
      [JSON.parse('{"a":{"__proto__":1}}'), /not a usable name/],
    ];
    for (const [value, detail] of large) {
      const { issues } = readSchema({}).read(value);
      expect(issues).toHaveLength(1);
      expect(issues[0]?.detail).toMatch(detail);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('is given back as it is, and again the same', () => {
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

/** Schemas of the subset, written at random. */
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
    // Each is JSON, which the records' types do not say.
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
  it('a value passes exactly where another validator lets it pass', () => {
    // Its compilation takes most of the time, so that a schema sees several values.
    const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
    const several = fc.array(values, { minLength: 3, maxLength: 8, size: 'max' });
    fc.assert(
      fc.property(schemas, several, (schema, given) => {
        const own = readSchema(schema);
        const passes = ajv.compile(schema);
        for (const value of given) expect(own.read(value).issues.length === 0).toBe(passes(value));
      }),
      { numRuns: 1000 },
    );
  });

  it('a normal form is its own normal form, and is JSON', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const { value: once, issues } = readSchema(schema).read(value);
        if (issues.length > 0) return;
        expect(readSchema(schema).read(once)).toMatchObject({ value: once, issues: [] });
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
    );
  });

  it('whatever is handed in as a schema is read or refused, and whatever as a value is told', () => {
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
      { numRuns: 2000 },
    );
  });
});

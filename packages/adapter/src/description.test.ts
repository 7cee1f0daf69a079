import { expect, test } from 'vitest';
import { expectQuick } from '../../../testing/longest-block.ts';
import type { TechnologyDescription } from './contract/technology.ts';
import { readDescription } from './description.ts';

const least = { title: 'Toy', addresses: { account: { pattern: '^toy1[a-z]+$', example: 'toy1abc' } } };
const whole: TechnologyDescription = {
  ...least,
  namespace: 'toy-1',
  content: {
    schema: { type: 'object', properties: { memo: { type: 'string' } } },
    version: '^1$',
    currentVersion: '1',
  },
  ledgerProperties: {
    type: 'object',
    properties: {
      endpoint: { type: 'string', format: 'uri', 'x-address': true },
      token: { type: 'string', writeOnly: true },
      depth: { type: 'integer', minimum: 1 },
    },
    required: ['endpoint'],
    additionalProperties: false,
  },
  nodeProperties: { type: 'object', properties: {}, additionalProperties: false },
  walletParameters: {
    type: 'object',
    properties: { label: { type: 'string' } },
    dependentRequired: { privateKey: ['label'] },
    additionalProperties: false,
  },
  unit: { symbol: 'TOY', decimals: 9 },
  templates: { code: { type: 'string', format: 'hex' }, languages: ['Toy'] },
};

test('returns a copy of a valid description', () => {
  expect(readDescription('toy', 'toy', least)).toEqual(least);
  const read = readDescription('toy', 'toy', whole);
  expect(read).toEqual(whole);
  expect(read.ledgerProperties).not.toBe(whole.ledgerProperties);
});

const object = (properties: object, more = {}) => ({
  ledgerProperties: { type: 'object', properties, additionalProperties: false, ...more },
});

test.each([
  ['no value', undefined, '/description: is required'],
  ['a string instead of an object', 'Toy', '/description: must be an object'],
  ['no title', { addresses: least.addresses }, '/description/title: is required'],
  ['a title with a line break', { ...least, title: 'a\nb' }, '/description/title: must be 1 to 128'],
  ['unknown members', { ...least, colour: 'red' }, '/description/colour: '],
  ['functions', { ...least, unit: () => undefined }, '/description/unit: must be'],
  [
    'an unsupported keyword',
    { ...least, ...object({ a: { not: {} } }) },
    '/description/ledgerProperties/properties/a/not: ',
  ],
  [
    'additional members allowed',
    { ...least, ledgerProperties: { type: 'object', properties: {} } },
    '/description/ledgerProperties: must be of type object',
  ],
  [
    'anyOf next to properties',
    { ...least, ...object({}, { anyOf: [{}] }) },
    '/description/ledgerProperties: must be of type object',
  ],
  [
    'an invalid property name',
    { ...least, ...object({ 'a b': {} }) },
    '/description/ledgerProperties/properties/a b: is not a valid name',
  ],
  [
    'a secret that is not a string',
    { ...least, ...object({ a: { type: 'integer', writeOnly: true } }) },
    '/properties/a: must be of type string',
  ],
  [
    'a secret inside a property',
    {
      ...least,
      ...object({ a: { type: 'object', properties: { b: { type: 'string', writeOnly: true } } } }),
    },
    '/properties/a: must have writeOnly and x-address at the top level',
  ],
  [
    'a secret that is an address',
    { ...least, ...object({ a: { type: 'string', writeOnly: true, 'x-address': true } }) },
    '/properties/a: cannot be both writeOnly and x-address',
  ],
  [
    'a parameter that is not a string',
    { ...least, walletParameters: { type: 'object', properties: { a: {} }, additionalProperties: false } },
    '/description/walletParameters/properties/a: must be of type string',
  ],
  [
    'a pattern with a lookahead',
    { ...least, addresses: { account: { pattern: '(?=a)', example: 'a' } } },
    '/description/addresses/account/pattern: ',
  ],
  [
    'an example that does not match',
    { ...least, addresses: { account: { pattern: '^a$', example: 'b' } } },
    '/description/addresses/account/example: does not match',
  ],
  [
    'an invalid content schema',
    { ...least, content: { schema: { type: 'map' } } },
    '/description/content/schema/type: ',
  ],
  [
    'a content version pattern but no current version',
    { ...least, content: { schema: { type: 'object' }, version: '^1$' } },
    '/description/content/currentVersion: is required with `version`, and must match its pattern',
  ],
  [
    'code that is not a string',
    { ...least, templates: { code: { type: 'object' } } },
    '/description/templates/code: must be of type string',
  ],
  [
    'a huge schema',
    { ...least, ...object({ a: { enum: Array(9_000).fill(1) } }) },
    '/description/ledgerProperties: has more than',
  ],
])('rejects a description with %s and reports the position', (_, description, detail) => {
  expect(() => readDescription('toy', 'toy', description)).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'adapter-fault',
        phase: 'open',
        detail: expect.stringContaining(detail),
      }),
    }),
  );
});

test('rejects a description that has too many characters of JSON', () => {
  const schema = {
    type: 'object',
    properties: {},
    additionalProperties: false,
    description: 'a'.repeat(40_000),
  };
  expect(() => readDescription('toy', 'toy', { ...least, nodeProperties: schema })).toThrow(
    /has 40\d{3} characters of JSON, but at most 32768/,
  );
});

test('rejects hundreds of short patterns before compiling any of them', async () => {
  const properties = (from: number) =>
    Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `m${from + at}`,
        { type: 'string', pattern: `^[a-z]{1,500}[0-9]{1,400}${from + at}$` },
      ]),
    );
  await expectQuick(1_000, (attempt) => {
    const some = properties(1_000 * attempt);
    for (const member of ['ledgerProperties', 'nodeProperties', 'walletParameters']) {
      const schema = { type: 'object', properties: some, additionalProperties: false };
      expect(() => readDescription('toy', 'toy', { ...least, [member]: schema })).toThrow(
        'takes too long to compile',
      );
    }
    const few = {
      type: 'object',
      properties: Object.fromEntries(Object.entries(some).slice(0, 2)),
      additionalProperties: false,
    };
    const spread = { ...least, ledgerProperties: few, nodeProperties: few, walletParameters: few };
    expect(() => readDescription('toy', 'toy', { ...least, ledgerProperties: few })).not.toThrow();
    expect(() => readDescription('toy', 'toy', spread)).toThrow('takes too long to compile');
  });
});

test('compiles the patterns of a description only when it is read first', async () => {
  const descriptions = (attempt: number) =>
    Array.from({ length: 20 }, (_, plugin) => {
      const anyOf = Array.from({ length: 280 }, (_, at) => ({
        type: 'string',
        pattern: `^a*b*c?${attempt}x${plugin}y${at}$`,
      }));
      return { ...least, content: { schema: { type: 'object', properties: { memo: { anyOf } } } } };
    });
  const some = descriptions(0);
  for (const one of some) readDescription('toy', 'toy', one);
  // Compiling them all again would take more than 200 ms.
  await expectQuick(80, () => {
    for (const one of some) expect(readDescription('toy', 'toy', one)).toEqual(one);
  });
});

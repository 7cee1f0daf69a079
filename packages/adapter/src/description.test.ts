import { expect, test } from 'vitest';
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

test('a description is read into a copy of its own', () => {
  expect(readDescription('toy', 'toy', least)).toEqual(least);
  const read = readDescription('toy', 'toy', whole);
  expect(read).toEqual(whole);
  expect(read.ledgerProperties).not.toBe(whole.ledgerProperties);
});

const object = (properties: object, more = {}) => ({
  ledgerProperties: { type: 'object', properties, additionalProperties: false, ...more },
});

test.each([
  ['nothing', undefined, '/description: is required'],
  ['a text', 'Toy', '/description: must be an object'],
  ['no title', { addresses: least.addresses }, '/description/title: is required'],
  ['a title with a line break', { ...least, title: 'a\nb' }, '/description/title: must be 1 to 128'],
  ['members that nobody knows', { ...least, colour: 'red' }, '/description/colour: '],
  ['functions', { ...least, unit: () => undefined }, '/description/unit: must be'],
  [
    'a keyword that is not read',
    { ...least, ...object({ a: { not: {} } }) },
    '/description/ledgerProperties/properties/a/not: ',
  ],
  [
    'open members',
    { ...least, ledgerProperties: { type: 'object', properties: {} } },
    '/description/ledgerProperties: must be of type object',
  ],
  [
    'forms beside members',
    { ...least, ...object({}, { anyOf: [{}] }) },
    '/description/ledgerProperties: must be of type object',
  ],
  [
    'a name that is none',
    { ...least, ...object({ 'a b': {} }) },
    '/description/ledgerProperties/properties/a b: is not a usable name',
  ],
  [
    'a secret that is no text',
    { ...least, ...object({ a: { type: 'integer', writeOnly: true } }) },
    '/properties/a: must be of type string',
  ],
  [
    'a secret inside a property',
    {
      ...least,
      ...object({ a: { type: 'object', properties: { b: { type: 'string', writeOnly: true } } } }),
    },
    '/properties/a: must say writeOnly and x-address of the whole',
  ],
  [
    'a secret that is an address',
    { ...least, ...object({ a: { type: 'string', writeOnly: true, 'x-address': true } }) },
    '/properties/a: cannot be writeOnly and x-address at once',
  ],
  [
    'a parameter that is no text',
    { ...least, walletParameters: { type: 'object', properties: { a: {} }, additionalProperties: false } },
    '/description/walletParameters/properties/a: must be of type string',
  ],
  [
    'a pattern that looks around',
    { ...least, addresses: { account: { pattern: '(?=a)', example: 'a' } } },
    '/description/addresses/account/pattern: ',
  ],
  [
    'an example of another form',
    { ...least, addresses: { account: { pattern: '^a$', example: 'b' } } },
    '/description/addresses/account/example: does not have',
  ],
  [
    'content that cannot be read',
    { ...least, content: { schema: { type: 'map' } } },
    '/description/content/schema/type: ',
  ],
  [
    'a version of content that is read but none that is written',
    { ...least, content: { schema: { type: 'object' }, version: '^1$' } },
    '/description/content/currentVersion: must be given',
  ],
  [
    'code that is no text',
    { ...least, templates: { code: { type: 'object' } } },
    '/description/templates/code: must be of type string',
  ],
  [
    'a schema without end',
    { ...least, ...object({ a: { enum: Array(9_000).fill(1) } }) },
    '/description/ledgerProperties: has more than',
  ],
])('%s is refused with its place', (_, description, detail) => {
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

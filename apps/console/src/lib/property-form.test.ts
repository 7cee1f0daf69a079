import { expect, test } from 'vitest';
import { propertiesOf, propertyMembersOf, propertyTexts, propertyValue } from './property-form.ts';

const schema = {
  type: 'object',
  properties: {
    chain_id: { format: 'quantity', description: 'Of the chain.' },
    fee_mode: { enum: ['auto', 'legacy'] },
    replace_after: { type: 'number' },
    presigned: { type: 'boolean' },
    affiliations: { type: 'array', items: { type: 'string' } },
    tls_client_key: { type: 'string', format: 'pem', writeOnly: true },
    authorization: { type: 'string', writeOnly: true },
    admin: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
    routes: { type: 'object' },
  },
};
const members = propertyMembersOf(schema);

test('the property form has a field for each property, and marks secrets', () => {
  expect(members.map(({ name, form }) => [name, form])).toEqual([
    ['chain_id', 'text'],
    ['fee_mode', 'choice'],
    ['replace_after', 'number'],
    ['presigned', 'boolean'],
    ['affiliations', 'lines'],
    ['tls_client_key', 'pem'],
    ['authorization', 'text'],
    ['admin', 'text'],
    ['routes', 'json'],
  ]);
  expect(members.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual([
    'tls_client_key',
    'authorization',
  ]);
  expect(members[0]?.description).toBe('Of the chain.');
  expect(propertyMembersOf(null)).toEqual([]);
});

test('the property form shows the current properties and returns them unchanged', () => {
  const held = {
    ...{ chain_id: 31_337, fee_mode: 'auto', replace_after: 0.5, presigned: false },
    ...{ affiliations: ['org1', 'org2'], admin: true, routes: { a: [1] } },
  };
  const texts = propertyTexts(members, held);
  expect(texts).toMatchObject({ chain_id: '31337', presigned: 'false', affiliations: 'org1\norg2' });
  expect(propertiesOf(members, texts, held)).toEqual({ ...held, chain_id: '31337' });
});

test('the property form keeps secrets that were not entered again, and properties outside the schema', () => {
  const held = { tls_client_key: null, plugin_own: 'x', fee_mode: 'auto' };
  expect(propertyTexts(members, held)).toEqual({ fee_mode: 'auto' });
  expect(propertiesOf(members, {}, held)).toEqual({ plugin_own: 'x', tls_client_key: null });
  expect(propertiesOf(members, { tls_client_key: 'PEM', authorization: '' }, held)).toEqual({
    plugin_own: 'x',
    tls_client_key: 'PEM',
  });
});

test('rejects entered text that is not a valid property value', () => {
  expect(propertyValue({ form: 'number' }, '1,5')).toBeUndefined();
  expect(propertyValue({ form: 'json' }, '{')).toBeUndefined();
  expect(propertyValue({ form: 'lines' }, ' a \n\nb')).toEqual(['a', 'b']);
  expect(propertyValue({ form: 'text' }, 'true')).toBe(true);
});

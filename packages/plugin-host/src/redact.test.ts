import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

const ledgerOf = (uri: string) => ({
  ...{ ledgerId: 'ledger', technology: 'any', properties: {} },
  nodes: [{ nodeId: 'node', uri }],
});

test.each([
  ['https://node.test/?key=fifty%25off', 'fifty%off'],
  ['https://node.test/?key=fifty%25off', 'fifty%25off'],
  ['https://user:p%zz4@node.test/', 'p%zz4'],
  ['https://user:pass%404@node.test/', 'pass@4'],
  ['https://node.test/v3/0123456789abcdef%', '0123456789abcdef%'],
])('if the address %s is a secret, redacts %s', (uri, secret) => {
  const redactor = createRedactor();
  redactor.learn(ledgerOf(uri));
  expect(redactor.redact(`Told ${secret} here.`)).not.toContain(secret);
});

test('redacts multi-line secrets in a value, but not numbers', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----\n';
  const redactor = createRedactor();
  redactor.learn({ ...ledgerOf('https://node.test/'), properties: { client_key: key, password: '1234' } });
  const told = { detail: `cannot use ${key}`, number: 1_234_567, more: [{ password: 'is 1234' }] };
  expect(redactor.redactJson(told)).toEqual({
    detail: 'cannot use [secret]',
    number: 1_234_567,
    more: [{ password: 'is [secret]' }],
  });
});

test('redacts the whole secret if another secret is a prefix of it', () => {
  const redactor = createRedactor();
  const properties = { token_a: 'abcd', token_b: 'abcd.EFGH', token_c: 'a.*d+' };
  redactor.learn({ ...ledgerOf('https://node.test/'), properties });
  expect(redactor.redact('abcd.EFGH, abcdEFGH, a.*d+')).toBe('[secret], [secret]EFGH, [secret]');
});

test('redacts secrets that are added later', () => {
  const redactor = createRedactor();
  redactor.learn({ ...ledgerOf('https://node.test/'), properties: { token: 'first' } });
  expect(redactor.redact('first second')).toBe('[secret] second');
  redactor.learn({ ...ledgerOf('https://node.test/'), properties: { token: 'second' } });
  expect(redactor.redact('first second')).toBe('[secret] [secret]');
});

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
])('of %s nothing is shown of %s', (uri, secret) => {
  const redactor = createRedactor();
  redactor.learn(ledgerOf(uri));
  expect(redactor.redact(`Told ${secret} here.`)).not.toContain(secret);
});

test('in a value secrets of several lines are found, and numbers stay numbers', () => {
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

test('of a secret that begins like another nothing is left', () => {
  const redactor = createRedactor();
  const properties = { token_a: 'abcd', token_b: 'abcd.EFGH', token_c: 'a.*d+' };
  redactor.learn({ ...ledgerOf('https://node.test/'), properties });
  expect(redactor.redact('abcd.EFGH, abcdEFGH, a.*d+')).toBe('[secret], [secret]EFGH, [secret]');
});

test('what is learned later is taken out too', () => {
  const redactor = createRedactor();
  redactor.learn({ ...ledgerOf('https://node.test/'), properties: { token: 'first' } });
  expect(redactor.redact('first second')).toBe('[secret] second');
  redactor.learn({ ...ledgerOf('https://node.test/'), properties: { token: 'second' } });
  expect(redactor.redact('first second')).toBe('[secret] [secret]');
});

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/settings/config.ts';
import { ConfigError } from '../../src/settings/config-error.ts';

const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
const MAIL_FROM = 'Ledger <ledger@example.com>';

test('without a mail server there is no mailer', () => {
  expect(readConfig({ MASTER_KEY }).smtp).toBeUndefined();
});

test.each([
  ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false }],
  ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false }],
])('the mail server URL %s is read with its port or the default port', (SMTP_URL, expected) => {
  const { smtp } = readConfig({ MASTER_KEY, MAIL_FROM, SMTP_URL });
  expect(smtp).toEqual({ ...expected, from: MAIL_FROM, user: undefined, password: undefined });
});

test('the mail server’s password is removed from the environment and not printed', () => {
  const environment = { MASTER_KEY, MAIL_FROM, SMTP_URL: 'smtp://user%40x:p%40ss@mail.example' };
  const { smtp } = readConfig(environment);
  expect([smtp?.user, smtp?.password?.reveal()]).toEqual(['user@x', 'p@ss']);
  expect(JSON.stringify(smtp)).not.toContain('p@ss');
  expect(environment).toEqual({ MAIL_FROM });
});

describe('invalid mail settings', () => {
  test.each([
    [{ SMTP_URL: 'https://mail.example' }, 'SMTP_URL must be smtp://'],
    [{ SMTP_URL: 'smtp://user@mail.example' }, 'SMTP_URL must be smtp://'],
    [{ SMTP_URL: 'smtp://u:%zz@mail.example' }, 'SMTP_URL must be smtp://'],
    [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM is required'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM must be name@host'],
    [{ MAIL_FROM: 'a\r\nBcc: x <a@b>' }, 'MAIL_FROM must be name@host'],
    [{ CONSOLE_URL: 'console.example' }, 'CONSOLE_URL must be an absolute'],
    [{ TRUSTED_PROXIES: '11' }, 'TRUSTED_PROXIES must be a whole number'],
    [
      { TRUSTED_PROXY_HEADER: 'X-Real-IP' },
      'TRUSTED_PROXY_HEADER must be one of X-Forwarded-For or Forwarded',
    ],
  ])('the invalid value in %j is reported with its setting', (given, message) => {
    expect(() => readConfig({ MASTER_KEY, ...given })).toThrow(ConfigError);
    expect(() => readConfig({ MASTER_KEY, ...given })).toThrow(message);
    expect(() => readConfig({ MASTER_KEY, ...given })).not.toThrow('%zz');
  });
});

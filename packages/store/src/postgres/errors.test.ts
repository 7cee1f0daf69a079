import pg from 'pg';
import { expect, it } from 'vitest';
import { isSettingFault } from '../errors.ts';
import { fromPostgresError } from './errors.ts';

/** Messages of PgBouncer versions from 1.8 to 1.25. */
it.each([
  ['no more connections allowed (max_client_conn)', '53300', false],
  ['no more connections allowed', '53300', false],
  ['client connections exceeded (max_db_client_connections)', '53300', false],
  ['query_wait_timeout', '53300', false],
  ['pgbouncer cannot connect to server', '08001', false],
  ['server login has been failing, try again later (server_login_retry)', '08001', false],
  ['server login has been failing, cached error: connect failed (server_login_retry)', '08001', false],
  ['client_login_timeout (server down)', '08001', false],
  ['pooler is shutting down', '08001', false],
  ['SASL authentication failed', '28P01', true],
  ['password authentication failed for user "app"', '28P01', true],
  ['auth failed', '28P01', true],
  ['no such user: app', '28P01', true],
  ['unsupported startup parameter: options', '08P01', true],
  ['no such database: other', '08P01', true],
])('maps the pooler error "%s" to the code %s', (text, native, isFault) => {
  const refusal = Object.assign(new pg.DatabaseError(text, 1, 'error'), { code: '08P01', severity: 'FATAL' });
  const error = fromPostgresError(refusal, 'connect');
  expect(error).toMatchObject({ code: 'unavailable', native, message: expect.stringContaining(text) });
  expect(isSettingFault(error)).toBe(isFault);
});

it('treats a connection that pg_hba.conf rejects as a configuration error, and mentions sslmode', () => {
  const text = 'no pg_hba.conf entry for host "192.0.2.1", user "a", database "b", no encryption';
  const refusal = Object.assign(new pg.DatabaseError(text, 1, 'error'), { code: '28000', severity: 'FATAL' });
  const error = fromPostgresError(refusal, 'connect');
  expect(error.message).toBe('PostgreSQL refuses the role, its address or its sslmode (28000): connect');
  expect(isSettingFault(error)).toBe(true);
});

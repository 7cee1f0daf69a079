import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDatabaseUrl } from './database-url.ts';

it('a database URL may name several hosts, which share role, database and parameters', () => {
  const url =
    'postgres://user:p%40ss@one:5432,two:5433,[::1]/db?sslmode=require&target_session_attrs=read-write';
  const common = { user: 'user', password: 'p@ss', database: 'db', ssl: {} };
  expect(readDatabaseUrl(url)).toEqual({
    hosts: [
      { name: 'one:5432', config: { ...common, host: 'one', port: 5432 } },
      { name: 'two:5433', config: { ...common, host: 'two', port: 5433 } },
      { name: '[::1]', config: { ...common, host: '::1' } },
    ],
    where: 'one:5432,two:5433,[::1]/db',
    connectTimeout: undefined,
  });
});

it.each([
  ['postgresql:///db?host=/run/postgresql', '/run/postgresql', undefined],
  ['postgresql:///db?host=/run/postgresql&port=5433', '/run/postgresql:5433', 5433],
  ['postgres://%2Frun%2Fpostgresql/db', '/run/postgresql', undefined],
  ['postgres://%2Frun%2Fpostgresql:5433/db?sslmode=verify-full', '/run/postgresql:5433', 5433],
])('reads the Unix socket folder from %s, and turns TLS off', (url, name, port) => {
  const config = {
    host: '/run/postgresql',
    database: 'db',
    ssl: false,
    ...(port === undefined ? {} : { port }),
  };
  expect(readDatabaseUrl(url)).toMatchObject({ hosts: [{ name, config }], where: `${name}/db` });
});

it('reads hosts, ports, role and database from parameters', () => {
  const url = 'postgres://?host=one,::1&port=5432,5433&user=user&password=p%40ss&dbname=db';
  const { hosts, where } = readDatabaseUrl(url);
  const common = { user: 'user', password: 'p@ss', database: 'db' };
  expect(hosts.map(({ config }) => config)).toEqual([
    { ...common, host: 'one', port: 5432 },
    { ...common, host: '::1', port: 5433 },
  ]);
  expect(where).toBe('one:5432,[::1]:5433/db');
  const plus = readDatabaseUrl('postgres://one/db?password=a+b%2B%20c&application_name=x=y').hosts[0]?.config;
  expect(plus).toMatchObject({ password: 'a+b+ c', application_name: 'x=y' });
  const [first, second] = readDatabaseUrl('postgres://one,two/db?port=6432').hosts;
  expect([first?.config.port, second?.config.port]).toEqual([6432, 6432]);
});

it('reads the connection timeout, the settings of the session and the certificates from a URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-url-'));
  try {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, 'certificate');
    const query = `connect_timeout=3&application_name=x&options=-c%20geqo%3Doff&sslmode=verify-full&sslrootcert=${file}`;
    const { hosts, connectTimeout } = readDatabaseUrl(`postgres://one/db?${query}`);
    expect(connectTimeout).toBe(3_000);
    expect(hosts[0]?.config).toMatchObject({
      application_name: 'x',
      options: '-c geqo=off',
      ssl: { ca: 'certificate' },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const modes = ['disable', 'no-verify', 'verify-full&sslrootcert=system'].map(
    (mode) => readDatabaseUrl(`postgres://one/db?sslmode=${mode}`).hosts[0]?.config.ssl,
  );
  expect(modes).toEqual([false, { rejectUnauthorized: false }, {}]);
});

it.each(['12?S3CRET', '12/S3CRET', 'a#S3CRET', 'a/S3CRET', 'a%S3CRET', '12#S3CRET', 'a?b=S3CRET'])(
  'if a password contains unencoded special characters (%s), the error explains how to encode them',
  (password) => {
    const read = () => readDatabaseUrl(`postgres://user:${password}@one:5432/db`);
    expect(read).toThrow('percent-encode special characters');
    expect(read).not.toThrow('S3CRET');
  },
);

it.each([
  ['no URL', 'not a valid URL'],
  ['postgres://one:5432,/db', 'not a valid URL'],
  ['postgres://one:port/db', 'not a valid URL'],
  ['postgres://one/%zz', 'not a valid URL'],
  ['mysql://one/db', 'mysql:'],
  ['postgres://one,two,three/db?port=1,2', 'as many ports as hosts'],
  [
    'postgres://one/db?target_session_attrs=standby',
    'target_session_attrs .* must be one of any, read-write, primary',
  ],
  ['postgres://one/db?sslmode=allow', 'sslmode .* must be one of disable, prefer,'],
  ['postgres://one/db?connect_timeout=0', 'connect_timeout .* from 1 to 999'],
  ['postgres://one/db?channel_binding=require', 'channel_binding .* must be one of disable, prefer'],
  [
    'postgres://one/db?keepalives_idle=30',
    'keepalives_idle .* is not supported. The supported parameters are host, port',
  ],
  ['postgres://one/db?passfile=/run/pass', 'passfile .* PGPASSFILE'],
  ['postgres://one/db?sslrootcert=/missing.pem', 'sslrootcert .*/missing.pem cannot be read'],
])('refuses the database URL "%s" and reports the cause without the password', (url, message) => {
  const secret = url.replace('://one', '://user:S3CRET@one');
  const said: unknown[] = [];
  try {
    readDatabaseUrl(secret);
  } catch (error) {
    said.push(String(error));
  }
  expect(said).toEqual([expect.stringMatching(message)]);
  expect(said[0]).not.toContain('S3CRET');
});

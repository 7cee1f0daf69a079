// Tests which source address the server assigns to a request behind proxies. Failed logins are counted per source.
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppEnv } from '../../src/http/request/request-head.ts';
import { networkOf, RequestSources, type TrustedProxies } from '../../src/http/request/source.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';
import { addUser } from './users.ts';

const sourceOf = async (proxies: TrustedProxies, value: string): Promise<string> => {
  const app = new Hono<AppEnv>();
  const sources = new RequestSources(proxies, () => {});
  app.get('/', (context) => context.text(sources.of(context)));
  return await (await app.request('/', { headers: { [proxies.header]: value } })).text();
};

test.each([
  [0, '203.0.113.9', 'unknown'],
  [1, '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  [2, '192.0.2.1, 203.0.113.9, 198.51.100.7', '203.0.113.9'],
  [2, '198.51.100.7', 'unknown'],
  [1, '', 'unknown'],
  [1, '192.0.2.1:80, 203.0.113.9:51234', '203.0.113.9'],
  [1, '[2001:db8:1:2:3:4:5:6]:51234', '2001:db8:1:2::/64'],
  [1, '[2001:db8:1:2::6]', '2001:db8:1:2::/64'],
  [1, '2001:db8:1:2::6', '2001:db8:1:2::/64'],
  [1, '[::ffff:203.0.113.9]:51234', '203.0.113.9'],
  [1, '64:ff9b::203.0.113.9', '203.0.113.9'],
  [1, '64:ff9b:0:1::203.0.113.9', '64:ff9b:0:1::/64'],
  [2, '203.0.113.9:51234, [2001:db8::1]:443', '203.0.113.9'],
  // An unclosed quotation mark sent by the client does not hide the addresses after it.
  [1, '"192.0.2.1, 203.0.113.9', '203.0.113.9'],
  [1, '192.0.2.1, unknown', 'unknown'],
  [1, '192.0.2.1,', 'unknown'],
  [1, '203.0.113.9:x', 'unknown'],
  [1, '203.0.113.9:123456', 'unknown'],
  [1, '[203.0.113.9', 'unknown'],
])('behind %i proxies, X-Forwarded-For: %s means the client %s', async (count, value, source) => {
  expect(await sourceOf({ count, header: 'X-Forwarded-For' }, value)).toBe(source);
});

test.each([
  [0, 'for=203.0.113.9', 'unknown'],
  [1, 'for=203.0.113.9', '203.0.113.9'],
  [1, 'for=192.0.2.1, for=203.0.113.9;proto=https;by=198.51.100.7', '203.0.113.9'],
  [1, 'by=198.51.100.7; FOR="203.0.113.9:51234" ;host="a,b;c"', '203.0.113.9'],
  [1, 'For="[2001:db8:1:2::6]:51234"', '2001:db8:1:2::/64'],
  [1, 'for="203.0.113.9:_port"', '203.0.113.9'],
  [2, 'for=192.0.2.1, for=203.0.113.9, for=198.51.100.7', '203.0.113.9'],
  [2, 'for=198.51.100.7', 'unknown'],
  [1, 'for=192.0.2.1, host="for=192.0.2.9"', 'unknown'],
  [1, 'for=192.0.2.1, for=unknown', 'unknown'],
  [1, 'for=192.0.2.1, for=_hidden', 'unknown'],
  [1, 'for=192.0.2.1, for=203.0.113.9;for=192.0.2.2', 'unknown'],
  [1, 'for=192.0.2.1, 203.0.113.9', 'unknown'],
  // A client can neither hide the proxy's element in a quoted string, nor add an element through the host
  // that the proxy quotes.
  [1, 'for="192.0.2.1, for=203.0.113.9', '203.0.113.9'],
  [1, 'for="192.0.2.1\\, for="203.0.113.9"', '203.0.113.9'],
  [1, 'for=203.0.113.9;host="x\\", for=192.0.2.1;a=\\""', '203.0.113.9'],
  [1, 'for=203.0.113.9;host="x\\\\"', '203.0.113.9'],
])('behind %i proxies, Forwarded: %s means the client %s', async (count, value, source) => {
  expect(await sourceOf({ count, header: 'Forwarded' }, value)).toBe(source);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:c000:207', '192.0.2.7'],
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['::1:2:3:4:192.0.2.7', '0:0:1:2::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nonsense', 'unknown'],
])('requests from the address %s are counted for the source %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('logins behind a proxy', () => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  test.each([
    ['X-Forwarded-For', 'Forwarded', 'for=192.0.2.1'],
    ['Forwarded', 'X-Forwarded-For', '192.0.2.1'],
  ] as const)('a server that reads %s ignores %s, which clients can write', async (header, other, value) => {
    const { app } = makeServer(ground, { proxies: { count: 1, header } });
    const log = async (at: number) =>
      await app.request('/v1/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', [other]: value.replace('192.0.2.1', `192.0.2.${at}`) },
        body: JSON.stringify({ username: `${header}-${at}@example.org`, password: 'wrong' }),
      });
    for (let at = 0; at < 100; at += 1) expect((await log(at)).status).toBe(401);
    expect((await log(100)).status).toBe(429);
  });

  test.each([
    ['X-Forwarded-For', '203.0.113.9:5000', '203.0.113.10:5000'],
    ['X-Forwarded-For', '[2001:db8:1::1]:5000', '[2001:db8:2::1]:5000'],
    ['X-Forwarded-For', '::ffff:cb00:710b', '::ffff:cb00:710c'],
    ['Forwarded', 'for="[2001:db8:3::1]:5000"', 'for="[2001:db8:4::1]:5000"'],
  ] as const)(
    'a hundred failed logins of one client do not lock out other clients (%s: %s)',
    async (header, one, another) => {
      const user = await addUser(ground);
      const { app, warnings } = makeServer(ground, { proxies: { count: 1, header } });
      const log = async (username: string, password: string, client: string) =>
        await app.request('/v1/auth/login', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', [header]: client },
          body: JSON.stringify({ username, password }),
        });
      for (let nth = 0; nth < 100; nth += 1) await log(`${one}-${nth}@example.org`, 'wrong', one);
      expect((await log('last@example.org', 'wrong', one)).status).toBe(429);
      expect((await log(user.email, user.password, another)).status).toBe(200);
      expect(warnings).toEqual([]);
    },
  );

  test('the server warns once about clients whose address a proxy does not report', async () => {
    const { app, warnings } = makeServer(ground, { proxies: { count: 1, header: 'X-Forwarded-For' } });
    for (const client of ['unknown', 'other']) {
      await app.request('/v1/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.1, ${client}` },
        body: JSON.stringify({ username: 'somebody@example.org', password: 'wrong' }),
      });
    }
    expect(warnings).toEqual([
      expect.stringContaining('X-Forwarded-For, number 1 from the right, is not an address: "unknown"'),
    ]);
  });
});

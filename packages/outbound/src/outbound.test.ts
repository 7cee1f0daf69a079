import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuardedFetch } from './connector.ts';
import { guardedAddresses, type Resolve } from './lookup.ts';
import { createAddressCheck, isLoopback } from './policy.ts';

const resolving =
  (...addresses: string[]): Resolve =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('addresses', () => {
  const allows = createAddressCheck({ open: [] });

  test.each(['8.8.8.8', '2001:4860:4860::8888'])('%s is public', (address) => {
    expect(allows(address)).toBe(true);
  });

  test.each([
    ['loopback', '127.0.0.1'],
    ['another of the loopback', '127.9.9.9'],
    ['unspecified', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.31.0.1'],
    ['private', '192.168.1.1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6, in hexadecimal', '::ffff:7f00:1'],
    ['IPv4 in the last bytes', '::7f00:1'],
    ['IPv4 behind NAT64', '64:ff9b::7f00:1'],
    ['IPv4 behind 6to4', '2002:7f00:1::'],
    ['IPv4 behind Teredo', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
    ['unique local', 'fd00::1'],
    ['link-local', 'fe80::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['an address in a form of its own', '0x7f.1'],
  ])('%s is not: %s', (_kind, address) => {
    expect(allows(address)).toBe(false);
  });

  test('what the deployer opens is open, in each form, and nothing beside it', () => {
    const some = createAddressCheck({ open: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] });
    for (const open of ['127.0.0.1', '::ffff:127.0.0.1', '10.255.0.1', 'fd12::1']) {
      expect(some(open), open).toBe(true);
    }
    for (const closed of ['127.0.0.2', '192.168.0.1', 'fe80::1', '::1']) {
      expect(some(closed), closed).toBe(false);
    }
  });

  test('an entry that is none is refused when the policy is read', () => {
    expect(() => createAddressCheck({ open: ['localhost'] })).toThrow('"localhost" is no address');
    expect(() => createAddressCheck({ open: ['10.0.0.0/33'] })).toThrow(TypeError);
  });
});

test('this machine is named by its name and by loopback addresses in full, and by nothing else', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (const host of [
    'localhost.example',
    '127.0.0.1.example',
    '127.1',
    '0x7f000001',
    '0.0.0.0',
    '::',
    '10.0.0.1',
  ]) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
});

describe('names', () => {
  const allows = createAddressCheck({ open: [] });

  test('one answer that may not be reached refuses them all', async () => {
    const answers = guardedAddresses('node.example', allows, resolving('8.8.8.8', '10.0.0.1'));
    await expect(answers).rejects.toMatchObject({ code: 'EOUTBOUND' });
  });

  test('public answers are given as they are', async () => {
    const resolve = resolving('8.8.8.8', '2001:4860:4860::8888');
    expect(await guardedAddresses('node.example', allows, resolve)).toEqual([
      '8.8.8.8',
      '2001:4860:4860::8888',
    ]);
  });

  test('a name without an address says so', async () => {
    await expect(guardedAddresses('node.example', allows, resolving())).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])('the literal %s is checked too', async (host) => {
    await expect(guardedAddresses(host, allows)).rejects.toMatchObject({ code: 'EOUTBOUND' });
  });
});

describe('fetch', () => {
  let server: Server;
  let url: string;
  let requests = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests += 1;
      if (request.url === '/away') response.writeHead(302, { location: `${url}/there` }).end();
      else response.end('here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('reaches what is open', async () => {
    const guarded = createGuardedFetch({ open: ['127.0.0.1'] });
    expect(await (await guarded.fetch(url, {})).text()).toBe('here');
    await guarded.close();
  });

  test('a closed literal gets no connection', async () => {
    const before = requests;
    const guarded = createGuardedFetch({ open: [] });
    await expect(guarded.fetch(url, {})).rejects.toMatchObject({ cause: { code: 'EOUTBOUND' } });
    expect(requests).toBe(before);
    await guarded.close();
  });

  test('a public name that resolves inside gets no connection', async () => {
    const before = requests;
    const guarded = createGuardedFetch({ open: [] }, { resolve: resolving('127.0.0.1') });
    const { port } = new URL(url);
    await expect(guarded.fetch(`http://public.example:${port}`, {})).rejects.toMatchObject({
      cause: { code: 'EOUTBOUND' },
    });
    expect(requests).toBe(before);
    await guarded.close();
  });

  test('the name is resolved once: the checked address is the one that is reached', async () => {
    let asked = 0;
    const changing: Resolve = (_host, _options, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    const guarded = createGuardedFetch({ open: ['127.0.0.1'] }, { resolve: changing });
    const { port } = new URL(url);
    expect(await (await guarded.fetch(`http://changing.example:${port}`, {})).text()).toBe('here');
    expect(asked).toBe(1);
    await guarded.close();
  });

  test('redirects are not followed', async () => {
    const before = requests;
    const guarded = createGuardedFetch({ open: ['127.0.0.1'] });
    await expect(guarded.fetch(`${url}/away`, {})).rejects.toThrow();
    expect(requests).toBe(before + 1);
    await guarded.close();
  });
});

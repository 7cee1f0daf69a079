import { describe, expect, test } from 'vitest';
import { guardedAddresses, type Resolve } from './lookup.ts';
import { createAddressCheck, isLoopback } from './policy.ts';

const resolving =
  (...addresses: string[]): Resolve =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('outbound policy', () => {
  const allows = createAddressCheck({ open: [] });

  test.each(['8.8.8.8', '2001:4860:4860::8888'])('treats the address %s as public', (address) => {
    expect(allows(address)).toBe(true);
  });

  test.each([
    ['loopback', '127.0.0.1'],
    ['another loopback address', '127.9.9.9'],
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
    ['an address in a reserved format', '0x7f.1'],
  ])('the address check refuses %s: %s', (_kind, address) => {
    expect(allows(address)).toBe(false);
  });

  test('allows only the private addresses that the deployer lists, in any notation', () => {
    const some = createAddressCheck({ open: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] });
    for (const open of ['127.0.0.1', '::ffff:127.0.0.1', '10.255.0.1', 'fd12::1']) {
      expect(some(open), open).toBe(true);
    }
    for (const closed of ['127.0.0.2', '192.168.0.1', 'fe80::1', '::1']) {
      expect(some(closed), closed).toBe(false);
    }
  });

  test('rejects an invalid entry when the policy is read', () => {
    expect(() => createAddressCheck({ open: ['localhost'] })).toThrow('"localhost" is neither an IP address');
    expect(() => createAddressCheck({ open: ['10.0.0.0/33'] })).toThrow(TypeError);
  });
});

test('treats only localhost and complete loopback addresses as this machine', () => {
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

describe('name lookups', () => {
  const allows = createAddressCheck({ open: [] });

  test('rejects a host name if one of its addresses is forbidden', async () => {
    const answers = guardedAddresses('node.example', allows, resolving('8.8.8.8', '10.0.0.1'));
    await expect(answers).rejects.toMatchObject({ code: 'EOUTBOUND' });
  });

  test('returns the public addresses of a host name unchanged', async () => {
    const resolve = resolving('8.8.8.8', '2001:4860:4860::8888');
    expect(await guardedAddresses('node.example', allows, resolve)).toEqual([
      '8.8.8.8',
      '2001:4860:4860::8888',
    ]);
  });

  test('rejects a host name that has no address', async () => {
    await expect(guardedAddresses('node.example', allows, resolving())).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
    'rejects the literal private address %s',
    async (host) => {
      await expect(guardedAddresses(host, allows)).rejects.toMatchObject({ code: 'EOUTBOUND' });
    },
  );
});

import { expect, it } from 'vitest';
import { readDatabaseUrl } from './database-url.ts';
import { Hosts } from './hosts.ts';

it('continues with the next host, once for all connections that failed on the same one', () => {
  const { hosts: all } = readDatabaseUrl('postgres://one,two/db');
  const hosts = new Hosts(all);
  const first = hosts.current;
  hosts.skip(first);
  hosts.skip(first);
  expect(hosts.current.name).toBe('two');
  hosts.skip(hosts.current);
  expect(hosts.current.name).toBe('one');
});

it('rejects standbys and former primaries, and notices a promotion', () => {
  const hosts = new Hosts(readDatabaseUrl('postgres://one,two/db').hosts);
  expect(() => hosts.demandPrimary('one', true, null)).toThrow('one is a standby');
  hosts.demandPrimary('one', false, 3);
  hosts.demandPrimary('one', false, 3);
  expect(hosts.isPromoted).toBe(false);
  hosts.demandPrimary('one', false, 4);
  expect(hosts.isPromoted).toBe(true);
  expect(() => hosts.demandPrimary('one', false, 3)).toThrow('one is a former primary');
  hosts.acceptPromotion();
  hosts.demandPrimary('one', false, null);
  expect(hosts.isPromoted).toBe(false);
});

it('rejects a primary of another cluster, and accepts one whose cluster is not known', () => {
  const hosts = new Hosts(readDatabaseUrl('postgres://one,two/db').hosts);
  expect(() => hosts.demandPrimary('two', true, null, '7302')).toThrow('two is a standby');
  hosts.demandPrimary('one', false, 3, '7301');
  expect(() => hosts.demandPrimary('two', false, 9, '7302')).toThrow(
    'two belongs to the PostgreSQL cluster 7302, but this server uses the cluster 7301',
  );
  expect(hosts.isPromoted).toBe(false);
  hosts.demandPrimary('two', false, 3, null);
});

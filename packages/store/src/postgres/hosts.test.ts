import { describe, expect, it } from 'vitest';
import { readDatabaseUrl } from './database-url.ts';
import { Hosts } from './hosts.ts';

it('moves on to the next host only once, even if several connections to a host failed', () => {
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

it('rejects a primary of another cluster, and accepts a primary whose cluster is unknown', () => {
  const hosts = new Hosts(readDatabaseUrl('postgres://one,two/db').hosts);
  expect(() => hosts.demandPrimary('two', true, null, '7302')).toThrow('two is a standby');
  hosts.demandPrimary('one', false, 3, '7301');
  expect(() => hosts.demandPrimary('two', false, 9, '7302')).toThrow(
    'two belongs to the PostgreSQL cluster 7302, but this server uses the cluster 7301',
  );
  expect(hosts.isPromoted).toBe(false);
  hosts.demandPrimary('two', false, 3, null);
});

describe('time limits of the role', () => {
  const given = 'postgres://a:b@127.0.0.1:5432/db?options=-c%20work_mem%3D123kB';

  it('turns off time limits of the role on later connections, and keeps the options of the URL', () => {
    const hosts = new Hosts(readDatabaseUrl(given).hosts);
    expect(hosts.configOf(hosts.current)).toBe(hosts.current.config);
    expect([hosts.turnOff('idle_session_timeout'), hosts.turnOff('idle_session_timeout')]).toEqual([
      true,
      false,
    ]);
    hosts.turnOff('transaction_timeout');
    expect(hosts.configOf(hosts.current).options).toBe(
      '-c work_mem=123kB -c idle_session_timeout=0 -c transaction_timeout=0',
    );
  });

  it('a time limit of the role is reported as the cause only after turning it off has helped', () => {
    const hosts = new Hosts(readDatabaseUrl(given).hosts);
    hosts.guess('idle_session_timeout');
    expect([hosts.turnedOff, hosts.known]).toEqual([['idle_session_timeout'], []]);
    hosts.turnOff('idle_session_timeout');
    expect(hosts.known).toEqual(['idle_session_timeout']);
    hosts.guess('idle_session_timeout');
    expect(hosts.known).toEqual(['idle_session_timeout']);
  });

  it('a time limit of the role applies again if turning it off did not help', () => {
    const hosts = new Hosts(readDatabaseUrl(given).hosts);
    hosts.turnOff('idle_session_timeout');
    hosts.turnOn(['idle_session_timeout']);
    expect(hosts.configOf(hosts.current)).toBe(hosts.current.config);
  });
});

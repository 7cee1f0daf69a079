import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { slices } from '@ledger-ops/glo-core';
import { X509CrlGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { isRevoked } from './revocation.ts';

async function listOf(serials: readonly string[]) {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  return X509CrlGenerator.create(
    {
      issuer: 'CN=ca.org1, O=Org1',
      thisUpdate: new Date('2026-01-01'),
      nextUpdate: new Date('2027-01-01'),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      signingKey: keys.privateKey,
      entries: serials.map((serialNumber) => ({
        serialNumber,
        revocationDate: new Date('2026-02-01'),
        reason: 1,
      })),
    },
    webcrypto as Parameters<typeof X509CrlGenerator.create>[1],
  );
}

const check = (serial: string, ...lists: Uint8Array[]) => slices.run(isRevoked(serial, lists));

test('finds a serial number in a revocation list, in DER and in PEM', async () => {
  const list = await listOf(['01', '9f02', '7fffffffffffffffffffffffffffffffffffffff']);
  for (const bytes of [new Uint8Array(list.rawData), Buffer.from(list.toString('pem'))]) {
    for (const serial of ['1', '01', '9F02', '009f02', '7fffffffffffffffffffffffffffffffffffffff'])
      expect(await check(serial, bytes)).toBe(true);
    for (const serial of ['02', '9f03', '9f', '00']) expect(await check(serial, bytes)).toBe(false);
  }
});

test('finds no serial number in an empty revocation list', async () => {
  const list = await listOf([]);
  expect(await check('01', new Uint8Array(list.rawData))).toBe(false);
});

test('rejects bytes that are not a revocation list, and lists that are too long', async () => {
  await expect(check('01', Buffer.from('no list'))).rejects.toThrow('Not a certificate revocation list.');
  await expect(check('01', Buffer.of(0x30, 0x80))).rejects.toThrow('A DER length is invalid.');
  const many = Array.from({ length: 5 }, () => Buffer.alloc(2 ** 20));
  await expect(check('01', ...many)).rejects.toThrow('The revocation lists have more than 4194304 bytes.');
});

test('searching the longest revocation list does not block the event loop', async () => {
  const header = (length: number) => Buffer.of(0x30, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
  const entries = Buffer.alloc(4_000_000, Buffer.of(0x30, 3, 2, 1, 1));
  const members = Buffer.concat([Buffer.of(0x30, 0, 0x30, 0), header(entries.length), entries]);
  const signed = Buffer.concat([header(members.length), members]);
  const list = Buffer.concat([header(signed.length), signed]);
  expect(await check('01', list)).toBe(true);
  await expectShortTurns(() => check('02', list));
});

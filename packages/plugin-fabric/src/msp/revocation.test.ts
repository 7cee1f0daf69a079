import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { createRoot, issueRevocationList } from '@ledger-ops/devnet-fabric';
import { slices } from '@ledger-ops/glo-core';
import { X509Crl } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { element } from '../identity/der.ts';
import { membersOf, signedPartOf } from '../identity/der-element.ts';
import { findRevocation } from './revocation.ts';

const root = await createRoot({ commonName: 'ca.org1', organization: 'Org1' });
/** An empty sequence. */
const empty = element(0x30);
const issuer = new X509Certificate(root.certificate);

async function listOf(serials: readonly string[], ca = root): Promise<Buffer> {
  const at = new Date('2026-02-01');
  const pem = await issueRevocationList(
    ca,
    serials.map((serial) => ({ serial, at })),
  );
  return Buffer.from(new X509Crl(pem).rawData);
}

/** Returns a list with this content of `tbsCertList`. */
function listWith(...members: readonly Buffer[]): Buffer {
  const signed = element(0x30, ...members);
  return element(0x30, signed);
}

const check = (serialNumber: string, ...lists: Uint8Array[]) =>
  slices.run(findRevocation({ serialNumber }, issuer, lists));

test('finds a serial number in a revocation list, in DER and in PEM', async () => {
  const list = await listOf(['01', '9f02', '7fffffffffffffffffffffffffffffffffffffff']);
  for (const bytes of [list, Buffer.from(new X509Crl(list).toString('pem'))]) {
    for (const serial of ['1', '01', '9F02', '009f02', '7fffffffffffffffffffffffffffffffffffffff'])
      expect(await check(serial, bytes)).toBe('certificate');
    for (const serial of ['02', '9f03', '9f', '00']) expect(await check(serial, bytes)).toBe('none');
  }
});

test('finds no serial number in an empty revocation list', async () => {
  expect(await check('01', await listOf([]))).toBe('none');
});

test('ignores a revocation list of another CA with the same serial number', async () => {
  const other = await createRoot({ commonName: 'ca.org1', organization: 'Org1' });
  expect(await check('01', await listOf(['01'], other))).toBe('none');
  expect(await check('01', await listOf(['01'], other), await listOf(['01']))).toBe('certificate');
});

test('a revocation list without an authority key identifier revokes all certificates', async () => {
  expect(await check('01', listWith(empty, empty, empty))).toBe('all');
});

test('refuses bytes that are not a revocation list, and lists that are too long', async () => {
  await expect(check('01', Buffer.from('no list'))).rejects.toThrow('A DER element is longer');
  await expect(check('01', Buffer.of(0x30, 0x80))).rejects.toThrow('A DER length is invalid.');
  await expect(check('01', Buffer.of(0x31, 0))).rejects.toThrow('has the tag 49 instead of 48');
  await expect(check('01', listWith(...Array.from({ length: 65 }, () => empty)))).rejects.toThrow(
    'more than 64 members',
  );
  const many = Array.from({ length: 5 }, () => Buffer.alloc(2 ** 20));
  await expect(check('01', ...many)).rejects.toThrow('The revocation lists have more than 4194304 bytes.');
});

test('searching the longest revocation list does not block the event loop', async () => {
  const extensions = extensionsOf(await listOf([]));
  const entries = element(0x30, Buffer.alloc(4_000_000, Buffer.of(0x30, 3, 2, 1, 1)));
  const list = listWith(empty, empty, entries, extensions);
  expect(await check('01', list)).toBe('certificate');
  await expectShortTurns(() => check('02', list));
});

/** Returns the extensions of a list, the last member of `tbsCertList`. */
function extensionsOf(list: Buffer): Buffer {
  const last = [...membersOf(list, signedPartOf(list))].at(-1);
  if (last?.tag !== 0xa0) throw new TypeError('The list has no extensions.');
  return element(0xa0, list.subarray(last.start, last.end));
}

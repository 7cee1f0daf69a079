import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
import { KeyMaterialError, readCertificates, readClientKey } from '../../src/outbound/index.ts';
import { rsaKey, selfSigned, slowDsaKey } from './certificates.ts';

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

test.each([
  ['RSA with 4,096 bits', () => rsaKey(4)],
  ['P-256', () => ec('P-256')],
  ['P-384', () => ec('P-384')],
  ['Ed25519', () => generateKeyPairSync('ed25519').privateKey],
])('accepts a key of %s', (_, make) => {
  expect(readClientKey(pemOf(make())).type).toBe('private');
});

test.each([
  ['RSA with more than 4,096 bits', () => pemOf(rsaKey(6)), 'at most 4096 bits'],
  ['RSA with a huge exponent', () => pemOf(rsaKey(2, 2n ** 2_000n + 1n)), 'a common exponent'],
  ['a rare curve', () => pemOf(ec('secp256k1')), 'P-256'],
  ['X25519, which signs nothing', () => pemOf(generateKeyPairSync('x25519').privateKey), 'Ed25519'],
  ['22 kB', () => `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(22_000)}\n`, 'more than 8192 characters'],
  [
    'unreadable bytes',
    () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    'is not an unencrypted private key',
  ],
])('refuses a key of %s', (_, make, message) => {
  const pem = make();
  expect(() => readClientKey(pem)).toThrow(KeyMaterialError);
  expect(() => readClientKey(pem)).toThrow(message);
});

test.each([
  ['a DSA key', slowDsaKey()],
  ['a DSA key before another key', slowDsaKey() + pemOf(ec('P-256'))],
  ['a DSA key after another key', pemOf(ec('P-256')) + slowDsaKey()],
  ['a DSA key with a header', slowDsaKey().replace('KEY-----\n', 'KEY-----\nProc-Type: 4\n\n')],
])('refuses %s without using the key', (_, text) => {
  const start = performance.now();
  expect(() => readClientKey(text)).toThrow(KeyMaterialError);
  // Using the key would take more than three seconds.
  expect(performance.now() - start).toBeLessThan(500);
});

test('accepts the forms of keys that tools write', () => {
  const curve = ec('P-256');
  const sec1 = curve.export({ format: 'pem', type: 'sec1' }).toString();
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const pkcs1 = rsaKey(4).export({ format: 'pem', type: 'pkcs1' }).toString();
  for (const text of [sec1, parameters + sec1, pkcs1, pemOf(curve).replaceAll('\n', '\r\n')])
    expect(readClientKey(`comment\n${text}\n`).type).toBe('private');
  expect(readClientKey(pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey)).type).toBe(
    'private',
  );
});

test('rejects an RSA-PSS key that is too large', () => {
  const pss = rsaKey(6).export({ format: 'der', type: 'pkcs8' });
  const at = pss.indexOf('2a864886f70d010101', 0, 'hex');
  pss[at + 8] = 0x0a;
  const text = `-----BEGIN PRIVATE KEY-----\n${pss.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  expect(() => readClientKey(text)).toThrow(KeyMaterialError);
});

test('refuses an encrypted key without deriving a key from its password', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encrypted = privateKey.export({
    ...{ format: 'pem', type: 'pkcs8' },
    ...{ cipher: 'aes-256-cbc', passphrase: 'secret' },
  });
  expect(() => readClientKey(encrypted.toString())).toThrow('unencrypted');
});

test('rejects a string of white space in linear time', async () => {
  const text = `-----BEGIN PRIVATE KEY-----${' '.repeat(8_000)}!`;
  await expectQuick(10, () => expect(() => readClientKey(text)).toThrow('unencrypted'));
});

test('reads all certificates of a PEM string', () => {
  const certificates = [selfSigned(ec('P-256')), selfSigned(rsaKey(4))].map(({ cert }) => cert);
  expect(readCertificates(certificates.join('\n'))).toHaveLength(2);
});

test.each([
  ['a key of more than 8,192 bits', () => selfSigned(rsaKey(10)).cert, 'at most 8192 bits'],
  ['a key with a huge exponent', () => selfSigned(rsaKey(2, 2n ** 2_000n + 1n)).cert, 'a common exponent'],
  [
    'one good and one bad key',
    () => selfSigned(ec('P-256')).cert + selfSigned(rsaKey(10)).cert,
    'at most 8192 bits',
  ],
  ['33 certificates', () => selfSigned(ec('P-256')).cert.repeat(33), 'more than 32 certificates'],
  ['70,000 characters', () => selfSigned(ec('P-256')).cert.padEnd(70_000), 'more than 65536 characters'],
  [
    'unreadable content',
    () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    'is not a PEM certificate',
  ],
])('refuses certificates with %s', (_, make, message) => {
  const pem = make();
  expect(() => readCertificates(pem)).toThrow(KeyMaterialError);
  expect(() => readCertificates(pem)).toThrow(message);
});

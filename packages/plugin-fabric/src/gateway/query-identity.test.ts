import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { selfSigned, slowDsaKey } from '../../../adapter/test/outbound/certificates.ts';
import { openQueryIdentity } from './query-identity.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { cert } = selfSigned(privateKey);
const opened = (text: string) => {
  const observer = { certificate: cert, privateKey: text };
  return openQueryIdentity({ mspId: 'Org1MSP', observer });
};

test('opens the query identity from the observer’s certificate and private key', () => {
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  expect(opened(pem)).toMatchObject({ identity: { mspId: 'Org1MSP' } });
});

test('refuses a DSA key of an observer before using it in a computation', () => {
  const start = performance.now();
  expect(() => opened(slowDsaKey())).toThrow('observer_private_key');
  // Using the key would take more than three seconds.
  expect(performance.now() - start).toBeLessThan(500);
});

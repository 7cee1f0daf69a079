import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Name, X509CertificateGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { x509IdsOf } from './x509-id.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Returns a certificate with these names. */
async function certificateWith(subject: Name, issuer: Name): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create(
    {
      ...{ subject, issuer, publicKey: keys.publicKey, signingKey: keys.privateKey },
      signingAlgorithm: algorithm,
    },
    webcrypto,
  );
  return certificate.toString('pem');
}

test('a certificate’s ids have the attributes of subject and issuer in the order and form of each chaincode library', async () => {
  const subject = new Name('C=US, ST=North Carolina, O=Hyperledger, OU=client, OU=org1, CN="a/b, c/d"');
  const pem = await certificateWith(subject, new Name('O=org1.example.com, CN=ca'));
  const go =
    'x509::CN=a/b\\, c/d,ST=North Carolina,OU=client+OU=org1,O=Hyperledger,C=US::CN=ca,O=org1.example.com';
  expect(x509IdsOf(pem)).toEqual({
    commonName: 'a/b, c/d',
    ids: [
      'x509::/C=US/ST=North Carolina/O=Hyperledger/OU=client/OU=org1/CN=a\\/b, c/d::/O=org1.example.com/CN=ca',
      go,
      Buffer.from(go).toString('base64'),
    ],
  });
});

test('names of every string type are read, unknown attributes have their object id, and other values are hexadecimal', async () => {
  const subject = new Name([
    ...[{ CN: [{ bmpString: 'bmp ä' }] }, { OU: [{ universalString: 'universal' }] }],
    ...[
      { O: [{ utf8String: 'utf8 — 😀' }], L: [{ ia5String: 'ia5' }], ST: [{ printableString: 'printable' }] },
    ],
    ...[
      { '2.5.4.97': ['organization id'] },
      { '1.3.6.1.4.1.99999.840': ['#1203313233'] },
      { E: ['a@b.example'] },
    ],
  ]);
  const [id = ''] = x509IdsOf(await certificateWith(subject, new Name('CN=ca'))).ids;
  const [, names = ''] = id.split('::');
  expect(names.split('/').slice(1).toSorted()).toEqual(
    [
      ...['CN=bmp ä', 'OU=universal', 'O=utf8 — 😀', 'L=ia5', 'ST=printable'],
      ...['2.5.4.97=organization id', '1.3.6.1.4.1.99999.840=#1203313233', 'E=a@b.example'],
    ].toSorted(),
  );
});

test('a certificate without a common name has an empty one', async () => {
  expect(x509IdsOf(await certificateWith(new Name('O=org1'), new Name('CN=ca'))).commonName).toBe('');
});

import { createHash, generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { gateway } from '@hyperledger/fabric-protos';
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { createRoot, issueIdentity } from '@ledger-ops/devnet-fabric';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pointOf, publicKeyOf } from './identity/certificate.ts';
import { certificationRequest, digestOfRequest, signedRequest } from './identity/csr.ts';
import { ownSigner, toDer } from './identity/ecdsa.ts';
import { decodeSigned, encodeSigned } from './outcomes/signed-bytes.ts';

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/** r and s of a DER signature, parsed like OpenSSL does. */
function scalars(der: Uint8Array): bigint[] {
  const [, , , length = 0] = der;
  const number = (from: number, size: number) =>
    BigInt(`0x${Buffer.from(der).toString('hex', from, from + size)}`);
  return [number(4, length), number(6 + length, der[5 + length] ?? 0)];
}

test('signatures made by the host are valid for Fabric and have a low s', () => {
  const signer = createTestSigner('p256');
  const key = publicKeyOf(signer.publicKey);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (message) => {
      const digest = Uint8Array.from(createHash('sha256').update(message).digest());
      const der = toDer(signer.sign({ curve: 'p256', digest }), 'prepare');
      return verify('sha256', message, key, der);
    }),
    { numRuns: 50 },
  );
});

test('signatures made by the adapter are valid and have a low s', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sign = ownSigner(privateKey);
  for (let n = 0; n < 64; n += 1) {
    const message = Buffer.from(`message ${n}`);
    const der = sign(message);
    expect(verify('sha256', message, publicKey, der)).toBe(true);
    expect((scalars(der)[1] ?? order) <= order / 2n).toBe(true);
  }
});

test('a certificate request contains the name, the public key and a valid signature', async () => {
  const signer = createTestSigner('p256');
  const request = certificationRequest('alice, of "Org1" — ä', signer.publicKey);
  const signature = toDer(signer.sign({ curve: 'p256', digest: digestOfRequest(request) }), 'wallet');
  const read = new Pkcs10CertificateRequest(signedRequest(request, signature));
  expect(await read.verify()).toBe(true);
  expect(read.subjectName.getField('CN')).toEqual(['alice, of "Org1" — ä']);
});

test('the encoded public key equals the key in its certificate', async () => {
  const { certificate } = await issueIdentity(await createRoot({ commonName: 'ca' }), { commonName: 'a' });
  const read = new X509Certificate(certificate);
  const point = pointOf(read) ?? new Uint8Array();
  expect(point).toHaveLength(33);
  expect(publicKeyOf(point).equals(read.publicKey)).toBe(true);
});

test('signed bytes can be parsed again, even by the gateway library', () => {
  const txId = 'ab'.repeat(32);
  const envelope = Buffer.from('0a0101120102', 'hex');
  const transaction = encodeSigned({ kind: 'transaction', txId, envelope, plan: { step: 'call', n: 1 } });
  expect(decodeSigned(transaction)).toMatchObject({
    kind: 'transaction',
    txId,
    plan: { step: 'call', n: 1 },
  });
  const prepared = gateway.PreparedTransaction.deserializeBinary(transaction);
  expect(prepared.getTransactionId()).toBe(txId);
  expect(prepared.getEnvelope()?.getPayload_asU8()).toEqual(Uint8Array.of(1));
  const install = encodeSigned({ kind: 'installation', txId, signedProposal: envelope, plan: {} });
  expect(decodeSigned(install)).toMatchObject({ kind: 'installation', txId });
  expect(decodeSigned(encodeSigned({ kind: 'nothing', txId, plan: {} }))?.kind).toBe('nothing');
});

test('rejects bytes that are not signed transactions', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => decodeSigned(bytes) === undefined));
});

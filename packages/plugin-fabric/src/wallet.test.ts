import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import type { Round, WalletIdentity } from '@ledger-ops/adapter';
import { X509CertificateGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { pointOf, readCertificate } from './certificate.ts';
import type { Enrolment } from './enrolment.ts';
import type { Members } from './members.ts';
import { readProperties } from './properties.ts';
import { advanceWallet, createWallet, renewWallet, type WalletContext } from './wallet.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate of a key of its own. */
async function certificateOf(name: string): Promise<string> {
  const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys: pair, signingAlgorithm: algorithm },
    webcrypto,
  );
  return certificate.toString('pem');
}

function pointIn(certificate: string): Uint8Array {
  return pointOf(readCertificate(certificate)) ?? new Uint8Array();
}

/** With a CA that answers everything with one certificate. */
function contextOf(certificate: string): WalletContext {
  const enrolment: Enrolment = {
    enroll: async () => certificate,
    registerAndEnroll: async () => certificate,
    renewal: () => ({ body: '{}', message: new Uint8Array() }),
    reenroll: async () => certificate,
  };
  const members: Members = { requireValid: async () => undefined, requireMembers: async () => undefined };
  const properties = readProperties({
    ledgerId: 'test',
    technology: 'hyperledger-fabric',
    properties: {
      channel: 'ledger',
      msp_id: 'Org1MSP',
      observer_certificate: '-----BEGIN CERTIFICATE-----',
      observer_private_key: '-----BEGIN PRIVATE KEY-----',
    },
    nodes: [],
  });
  return { members, enrolment, properties, now: Date.now };
}

async function sign(round: Round<WalletIdentity>, context: WalletContext): Promise<Round<WalletIdentity>> {
  if (round.done) throw new Error('A signature was to be asked for.');
  return advanceWallet({ state: round.state, signatures: [new Uint8Array(64).fill(1)] }, context);
}

test('only a certificate of the key and the name that were asked for makes a wallet', async () => {
  const own = await certificateOf('ann');
  const request = {
    walletId: 'w',
    publicKey: pointIn(own),
    parameters: { enrollmentId: 'ann', enrollmentSecret: 'secret' },
  };
  const fine = contextOf(own);
  expect(await sign(await createWallet(request, fine), fine)).toMatchObject({
    done: true,
    result: { address: 'Org1MSP/ann' },
  });
  const strange = contextOf(await certificateOf('ann'));
  await expect(createWallet(request, strange).then((round) => sign(round, strange))).rejects.toMatchObject({
    code: 'certificate-invalid',
  });
  const named = { ...request, parameters: { ...request.parameters, enrollmentId: 'bob' } };
  await expect(createWallet(named, fine).then((round) => sign(round, fine))).rejects.toMatchObject({
    code: 'certificate-invalid',
  });
});

test('only a certificate of the same key and name renews a wallet', async () => {
  const own = await certificateOf('ann');
  const wallet = { address: 'Org1MSP/ann', material: { certificate: own, mspId: 'Org1MSP' } };
  const renew = async (answered: string) => {
    const context = contextOf(answered);
    return sign(await sign(renewWallet(wallet, context), context), context);
  };
  expect(await renew(own)).toMatchObject({ done: true, result: { address: 'Org1MSP/ann' } });
  await expect(renew(await certificateOf('ann'))).rejects.toMatchObject({ code: 'certificate-invalid' });
});

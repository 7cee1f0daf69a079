import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { common, msp } from '@hyperledger/fabric-protos';
import { createRoot, issueIdentity, type KeyPair } from '@ledger-ops/devnet-fabric';
import { SubjectKeyIdentifierExtension, X509Certificate, X509CertificateGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { standIn } from '../../test/stand-in.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { sequence } from '../identity/der.ts';
import { createMsps } from './msp.ts';

const root = await createRoot({ commonName: 'ca.org1', organization: 'Org1' });
const { certificate } = await issueIdentity(root, { commonName: 'alice' });

/** Validates a certificate against the configuration of a channel with one member. */
const validate = (pem: string, { ca = root, lists = [] }: { ca?: KeyPair; lists?: Buffer[] } = {}) => {
  const configBlock = async () => blockOf(ca, lists);
  const msps = createMsps(standIn<Qscc>({ configBlock }), 60_000);
  return msps.requireValid('trade', { mspId: 'Org1MSP', certificate: pem }, 'check', Date.now());
};

function blockOf({ certificate: ca }: KeyPair, lists: readonly Buffer[]): common.Block {
  const member = new msp.FabricMSPConfig();
  member.setName('Org1MSP');
  member.setRootCertsList([Buffer.from(ca)]);
  member.setRevocationListList([...lists]);
  const wrapped = new msp.MSPConfig();
  wrapped.setConfig(member.serializeBinary());
  const value = new common.ConfigValue();
  value.setValue(wrapped.serializeBinary());
  const organization = new common.ConfigGroup();
  organization.getValuesMap().set('MSP', value);
  const application = new common.ConfigGroup();
  application.getGroupsMap().set('Org1MSP', organization);
  const channel = new common.ConfigGroup();
  channel.getGroupsMap().set('Application', application);
  const config = new common.Config();
  config.setChannelGroup(channel);
  const content = new common.ConfigEnvelope();
  content.setConfig(config);
  const payload = new common.Payload();
  payload.setData(content.serializeBinary());
  const envelope = new common.Envelope();
  envelope.setPayload(payload.serializeBinary());
  const data = new common.BlockData();
  data.setDataList([envelope.serializeBinary()]);
  const block = new common.Block();
  block.setData(data);
  return block;
}

/** Returns the certificate of the CA, issued again with another key identifier. */
async function withKeyId({ certificate: pem, privateKey }: KeyPair, keyId: string): Promise<KeyPair> {
  const former = new X509Certificate(pem);
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const pkcs8 = createPrivateKey(privateKey).export({ format: 'der', type: 'pkcs8' });
  const again = await X509CertificateGenerator.create({
    subject: former.subjectName,
    issuer: former.issuerName,
    notBefore: former.notBefore,
    notAfter: former.notAfter,
    publicKey: former.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ecdsa, false, ['sign']),
    signingAlgorithm: ecdsa,
    extensions: [new SubjectKeyIdentifierExtension(keyId)],
  });
  return { certificate: again.toString('pem'), privateKey };
}

test('accepts a certificate of a member', async () => {
  await validate(certificate);
});

test('for a revocation list without authorityKeyIdentifier, the error says that peers refuse every certificate', async () => {
  // The empty members stand for the algorithm, the issuer and the entries.
  const list = sequence(sequence(sequence(), sequence(), sequence()));
  await expect(validate(certificate, { lists: [list] })).rejects.toMatchObject({
    problem: {
      code: 'certificate-invalid',
      detail: expect.stringMatching(
        /that does not name its CA \(authorityKeyIdentifier\), so peers refuse every certificate of Org1MSP\. Ask the administrators of the channel to replace the list\.$/,
      ),
    },
  });
});

test('accepts a certificate that names another key identifier of its CA', async () => {
  await validate(certificate, { ca: await withKeyId(root, '01'.repeat(32)) });
});

test('rejects a certificate of another CA with the same name', async () => {
  const other = await createRoot({ commonName: 'ca.org1', organization: 'Org1' });
  await expect(validate(certificate, { ca: other })).rejects.toMatchObject({
    problem: { detail: expect.stringContaining('not issued by a root of Org1MSP') },
  });
});

import { generateKeyPairSync, sign, webcrypto, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { connect } from '@hyperledger/fabric-gateway';
import { gateway as messages } from '@hyperledger/fabric-protos';
import { expect, onTestFinished, test } from 'vitest';
import { createRoot, issueIdentity, issueRevocationList } from '../../src/ca/issue.ts';
import { x509 } from '../../src/ca/x509.ts';
import { hasLowS } from '../../src/identity/p256.ts';
import type { Credentials } from '../../src/identity/signer.ts';
import type { FabricNetwork } from '../../src/network-types.ts';
import { clientOf, deploy, organization, rootOf, shareNetwork, testNetwork, text, user } from './network.ts';

const sharedNetwork = shareNetwork();

const unknown = 'creator org unknown, creator is malformed';

test('a foreign certificate, a wrong MSP and an unknown MSP cause the same error', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const alice = await organization(network, 0).issueUser('alice');
  const foreignRoot = await createRoot({ commonName: 'foreign' });
  const foreign = { mspId: 'Org1MSP', ...(await issueIdentity(foreignRoot, { commonName: 'alice' })) };
  for (const member of [foreign, { ...alice, mspId: 'Org2MSP' }, { ...alice, mspId: 'NobodyMSP' }]) {
    const contract = contractOf(network, member);
    await expect(contract.evaluateTransaction('list')).rejects.toMatchObject({
      ...{ code: status.FAILED_PRECONDITION, message: expect.stringContaining(unknown) },
    });
    await expect(contract.submitTransaction('list')).rejects.toMatchObject({
      ...{ code: status.ABORTED, details: [{ message: expect.stringContaining(unknown) }] },
    });
  }
});

test('an expired certificate can evaluate and get an endorsement from its own organization’s peer, but other peers and the orderer reject it', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'both', "AND('Org1MSP.peer','Org2MSP.peer')");
  await deploy(network, 'one', "OR('Org1MSP.peer','Org2MSP.peer')");
  const issued = await issueIdentity(rootOf(network, 0), {
    commonName: 'old',
    notBefore: new Date(Date.now() - 600_000),
    notAfter: new Date(Date.now() - 1000),
  });
  const member = { mspId: 'Org1MSP', ...issued };
  await contractOf(network, member, 'both').evaluateTransaction('list');
  await expect(contractOf(network, member, 'both').submitTransaction('put', 'a', '1')).rejects.toMatchObject({
    details: [{ mspId: 'Org2MSP', message: expect.stringContaining('proposal client identity expired') }],
  });
  await expect(contractOf(network, member, 'one').submitTransaction('put', 'a', '1')).rejects.toMatchObject({
    code: status.ABORTED,
    message: expect.stringContaining('broadcast client identity expired'),
  });
});

test('peers, the orderer and open block streams reject a revoked certificate, but not others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'revocation-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const first = await testNetwork({ directory });
  await deploy(first, 'one', "OR('Org1MSP.peer','Org2MSP.peer')");
  const alice = await organization(first, 0).issueUser('alice');
  const bob = await organization(first, 0).issueUser('bob');
  const contract = contractOf(first, alice, 'one');
  const endorsed = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  const { gateway } = clientOf(organization(first, 0), alice);
  const blocks = await gateway.getNetwork(first.channel).getFilteredBlockEvents();
  first.faults.blocksHeld = true;
  await contract.submitAsync('put', { arguments: ['b', '1'] });

  const serial = new X509Certificate(alice.certificate).serialNumber;
  const list = await issueRevocationList(rootOf(first, 0), [{ serial, at: new Date() }]);
  await first.setRevocationLists('Org1MSP', [list]);
  first.faults.blocksHeld = false;

  const bobs = contractOf(first, bob, 'one');
  await bobs.submitTransaction('put', 'c', '1');
  // The orderer had accepted the transaction, but not ordered it yet.
  expect(text(await bobs.evaluateTransaction('list'))).toBe('["c"]');
  const denied = 'access denied: channel [ledger] creator org [Org1MSP]';
  await expect(contract.evaluateTransaction('list')).rejects.toThrow(denied);
  await expect(endorsed.submit()).rejects.toMatchObject({
    message: expect.stringContaining('status=FORBIDDEN'),
  });
  await expect(
    (async () => {
      for await (const _ of blocks);
    })(),
  ).rejects.toThrow('403');

  await first.stop();
  const second = await testNetwork({ directory });
  const again = contractOf(second, alice, 'one');
  await expect(again.evaluateTransaction('list')).rejects.toThrow(denied);
  await second.setRevocationLists('Org1MSP', []);
  await again.evaluateTransaction('list');
});

test('rejects a revocation list that peers would ignore', async () => {
  const network = await sharedNetwork();
  const foreign = await issueRevocationList(rootOf(network, 1), []);
  await expect(network.setRevocationLists('Org1MSP', [foreign])).rejects.toThrow('did not issue it');
  await expect(network.setRevocationLists('Org1MSP', ['none'])).rejects.toThrow('not a certificate');
  // A list without authorityKeyIdentifier, as openssl creates it by default.
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, false, ['sign', 'verify']);
  const unnamed = await x509.X509CrlGenerator.create({
    issuer: 'CN=ca.org1',
    signingKey: keys.privateKey,
    signingAlgorithm,
  });
  await expect(network.setRevocationLists('Org1MSP', [unnamed.toString('pem')])).rejects.toThrow(
    'has no authorityKeyIdentifier',
  );
});

test('identities with the role orderer or peer cannot send transactions', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const orderer = await issueIdentity(rootOf(network, 0), { commonName: 'x', role: 'orderer' });
  await expect(
    contractOf(network, { mspId: 'Org1MSP', ...orderer }).evaluateTransaction('list'),
  ).rejects.toThrow('Writers');
  const peer = await issueIdentity(rootOf(network, 0), { commonName: 'x', role: 'peer' });
  await expect(
    contractOf(network, { mspId: 'Org1MSP', ...peer }).evaluateTransaction('list'),
  ).rejects.toThrow('Writers');
});

test('rejects a signature of another key and a signature with a high s', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const alice = await organization(network, 0).issueUser('alice');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const wrong = {
    ...alice,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  await expect(contractOf(network, wrong).evaluateTransaction('list')).rejects.toThrow(
    'access denied: channel [ledger] creator org [Org1MSP]',
  );
  const gateway = connect({
    client: clientOf(organization(network, 0), alice).connection,
    identity: { mspId: alice.mspId, credentials: Buffer.from(alice.certificate) },
  });
  const unsigned = gateway.getNetwork(network.channel).getContract('basic').newProposal('list').getBytes();
  const signWith = (low: boolean) => {
    // Half of all OpenSSL signatures have a high s.
    const message = messages.ProposedTransaction.deserializeBinary(unsigned)
      .getProposal()
      ?.getProposalBytes_asU8();
    for (;;) {
      const signature = sign('sha256', message ?? new Uint8Array(), alice.privateKey);
      if (hasLowS(signature) === low) return signature;
    }
  };
  await gateway.newSignedProposal(unsigned, signWith(true)).evaluate();
  await expect(gateway.newSignedProposal(unsigned, signWith(false)).evaluate()).rejects.toThrow(
    'access denied: channel [ledger] creator org [Org1MSP]',
  );
});

test('only readers of the channel can get the commit status', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  const commit = await transaction.submit();
  const stranger = await organization(await testNetwork(), 0).issueUser('stranger');
  const { gateway } = clientOf(organization(network, 0), stranger);
  await expect(gateway.newCommit(commit.getBytes()).getStatus()).rejects.toMatchObject({
    code: status.PERMISSION_DENIED,
  });
  expect((await commit.getStatus()).successful).toBe(true);
});

function contractOf(network: FabricNetwork, member: Credentials, chaincode = 'basic') {
  const { gateway } = clientOf(organization(network, 0), member);
  return gateway.getNetwork(network.channel).getContract(chaincode);
}

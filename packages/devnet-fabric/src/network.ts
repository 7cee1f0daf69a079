import { join } from 'node:path';
import { common } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import { issueIdentity, issueTls, type KeyPair } from './ca/issue.ts';
import { requireIssuedBy } from './ca/revocation-list.ts';
import { type CertificateAuthority, startCertificateAuthority } from './ca/server.ts';
import { connectChaincode } from './chaincode/connect.ts';
import { createDeployer } from './deploy.ts';
import { createFaults } from './faults.ts';
import { watchCommits } from './gateway/commits.ts';
import { createMembership } from './identity/membership.ts';
import { createOwnSignatures } from './identity/own-signatures.ts';
import { signerOf } from './identity/signer.ts';
import { type Connection, openDatabase, settingsOf } from './ledger/database.ts';
import { type Ledger, openLedger } from './ledger/ledger.ts';
import { loadMaterial, type Material, type OrganizationMaterial } from './material.ts';
import { type BlockSigner, makeBlock } from './messages/block.ts';
import { openEnvelope } from './messages/transaction.ts';
import type { FabricNetwork, FabricNetworkOptions, FabricOrganization } from './network-types.ts';
import { type BatchOptions, startOrderer } from './orderer/orderer.ts';
import { createProposalCheck } from './peer/check-proposal.ts';
import { createPeer, type Peer, type PeerContext } from './peer/peer.ts';
import { writeProfile } from './profile.ts';
import { configEnvelope } from './system/config-block.ts';
import { withRevocationLists } from './system/configuration.ts';

/** Options stored in the first block, which must be the same whenever a directory is opened again. */
interface Kept {
  channel: string;
  organizations: readonly string[];
  ports: readonly number[];
  caPorts: readonly number[];
}

const registrarId = 'registrar';
const defaultBatch: Required<BatchOptions> = {
  maxMessageCount: 100,
  timeout: 200,
  preferredMaxBytes: 2 * 1024 * 1024,
};

/**
 * Starts a network with one channel, an orderer, and one peer per organization.
 * @throws DevnetError if the options contradict the directory's network, or if a port is taken
 */
export async function startFabricNetwork(options: FabricNetworkOptions = {}): Promise<FabricNetwork> {
  const connection = openDatabase(options.directory);
  try {
    return await startOn(connection, options);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function startOn(connection: Connection, options: FabricNetworkOptions): Promise<FabricNetwork> {
  const settings = settingsOf(connection);
  const kept = settings.get<Kept>('network');
  const channel = options.channel ?? kept?.channel ?? 'ledger';
  const mspIds = options.organizations ?? kept?.organizations ?? ['Org1MSP', 'Org2MSP'];
  checkKept(kept, channel, mspIds);
  const batch = { ...defaultBatch, ...options.batch };
  const material = await loadMaterial(settings, mspIds);
  const membership = createMembership(
    material.organizations.map(({ mspId, root }) => ({ mspId, rootCertificate: root.certificate })),
  );
  const own = createOwnSignatures();
  const ledger = openLedger(connection, { channel, organizations: mspIds, membership, own });
  const faults = createFaults();
  const signer = signerOf({ mspId: material.orderer.mspId, ...material.orderer.node });
  if (ledger.chain.height() === 0) writeGenesis(ledger, material, channel, batch, signer);
  const orderer = startOrderer({ connection, ledger, membership, signer, faults, batch });

  const context: PeerContext = {
    ...{ channel, organizations: mspIds, connection, ledger, membership, own, orderer, faults },
    check: createProposalCheck(membership),
    commits: watchCommits(ledger),
    connectChaincode: options.connectChaincode ?? connectChaincode,
    chaincodeTimeout: options.chaincodeTimeout ?? 30_000,
    concurrency: options.concurrency ?? 500,
    clientRoots:
      options.mutualTls === true
        ? material.organizations.map(({ tlsRoot }) => tlsRoot.certificate)
        : undefined,
    peers: [],
  };
  const ports = options.ports ?? kept?.ports ?? [];
  const peers = material.organizations.map((one, at) =>
    createPeer(one, { port: ports[at] ?? 0, anyPort: options.ports === undefined }, context),
  );
  const authorities: CertificateAuthority[] = [];
  const stopNetwork = async () => {
    orderer.stop();
    await Promise.all(peers.map((peer) => peer.endpoint.stop()));
    await Promise.all([...peers, ...authorities].map((one) => one.close()));
    connection.close();
  };
  try {
    for (const { endpoint } of peers) await endpoint.start();
    for (const [at, one] of material.organizations.entries())
      authorities.push(await startCa(one, options.directory, kept?.caPorts[at]));
  } catch (error) {
    await stopNetwork();
    throw error;
  }
  settings.set('network', {
    ...{ channel, organizations: mspIds },
    ports: peers.map(({ endpoint }) => Number(endpoint.address().split(':')[1])),
    caPorts: authorities.map(({ url }) => Number(new URL(url).port)),
  } satisfies Kept);
  const organizations = material.organizations.flatMap((one, at) => {
    const peer = peers[at];
    const authority = authorities[at];
    return peer === undefined || authority === undefined ? [] : [organizationOf(one, peer, authority)];
  });
  const mutualTls = options.mutualTls === true;
  const deployer = createDeployer({ channel, organizations, mutualTls, settings });
  let stopping: Promise<void> | undefined;
  return {
    ...{ channel, organizations, mutualTls, faults },
    async setRevocationLists(mspId, lists) {
      const organization = organizations.find((one) => one.mspId === mspId);
      const block = ledger.configBlock();
      if (organization === undefined || block === undefined)
        throw new DevnetError(`The network has no organization ${mspId}.`);
      const root = { certificate: organization.rootCertificate };
      for (const list of lists) await requireIssuedBy(list, root);
      orderer.configure(withRevocationLists(block, { channel, mspId, lists }));
    },
    deployChaincode: deployer.deploy,
    profile: (directory, given) => writeProfile({ channel, organizations, mutualTls }, directory, given),
    stop: () => {
      stopping ??= deployer.stop().finally(stopNetwork);
      return stopping;
    },
  };
}

function startCa(
  { mspId, root, tlsRoot, registrarSecret }: OrganizationMaterial,
  directory: string | undefined,
  port = 0,
): Promise<CertificateAuthority> {
  const start = (listen: number) =>
    startCertificateAuthority({
      ...{ mspId, root, tlsRoot, port: listen },
      name: `ca-${mspId}`,
      registrar: { enrollmentId: registrarId, enrollmentSecret: registrarSecret },
      ...(directory === undefined ? {} : { directory: join(directory, `ca-${mspId}`) }),
    });
  return start(port).catch((error: unknown) => {
    // Another process uses the peer's former port, so any other port is used.
    if (port !== 0 && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      return start(0);
    throw error;
  });
}

function organizationOf(
  material: OrganizationMaterial,
  peer: Peer,
  { url, name, tlsCaCertificate }: CertificateAuthority,
): FabricOrganization {
  const { mspId, root, tlsRoot, admin, registrarSecret } = material;
  return {
    mspId,
    get endpoint() {
      return peer.endpoint.address();
    },
    hostOverride: 'localhost',
    tlsCaCertificate: tlsRoot.certificate,
    rootCertificate: root.certificate,
    rootPrivateKey: root.privateKey,
    ca: {
      ...{ url, name, tlsCaCertificate },
      registrar: { enrollmentId: registrarId, enrollmentSecret: registrarSecret },
    },
    admin: { mspId, ...admin },
    issueUser: async (name) => ({
      mspId,
      ...(await issueIdentity(root, { commonName: name, role: 'client', organization: mspId })),
    }),
    issueClientTls: (name) => issueTls(tlsRoot, { commonName: name }),
    running: () => peer.endpoint.running(),
    stop: () => peer.endpoint.stop(),
    start: () => peer.endpoint.start(),
  };
}

function writeGenesis(
  ledger: Ledger,
  material: Material,
  channel: string,
  batch: Required<BatchOptions>,
  signer: BlockSigner,
): void {
  const envelope = configEnvelope({
    channel,
    batch,
    organizations: material.organizations.map(configured),
    orderer: configured(material.orderer),
  });
  const bytes = envelope.serializeBinary();
  const block = makeBlock(0, new Uint8Array(), [bytes], 0, signer);
  const sealed = openEnvelope(common.Envelope.deserializeBinary(bytes));
  ledger.commit(block, [{ bytes, sealed, verified: true }]);
}

function configured({ mspId, root, tlsRoot }: { mspId: string; root: KeyPair; tlsRoot: KeyPair }) {
  return { mspId, rootCertificate: root.certificate, tlsRootCertificate: tlsRoot.certificate };
}

function checkKept(kept: Kept | undefined, channel: string, mspIds: readonly string[]): void {
  if (kept === undefined) return;
  if (kept.channel === channel && kept.organizations.join() === mspIds.join()) return;
  throw new DevnetError(
    `The directory contains a network with channel "${kept.channel}" and ${kept.organizations.join(', ')}; it cannot be changed to channel "${channel}" and ${mspIds.join(', ')}. Use another directory.`,
  );
}

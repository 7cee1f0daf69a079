import { randomBytes } from 'node:crypto';
import { type FabricNetwork, type FabricOrganization, sampleChaincodes } from '@ledger-ops/devnet-fabric';
import type { Product } from './product.ts';

export interface FabricWallet {
  walletId: string;
  password: string;
  /** `<MSP id>/<common name>` */
  address: string;
}

export const fabric = 'hyperledger-fabric';

/** Returns the properties in the form of administrative request bodies, without undefined ones. */
export function propertyList(properties: Record<string, unknown>) {
  return Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ type: { name }, value }));
}

/** Deploys the two sample chaincodes to a network: `assets` and `token`. */
export async function deploySamples(network: FabricNetwork): Promise<void> {
  await network.deployChaincode({ name: 'assets', contract: sampleChaincodes.assetTransfer });
  await network.deployChaincode({ name: 'token', contract: sampleChaincodes.token });
}

/** Returns a peer as a node of a ledger. */
function nodeOf({
  mspId,
  endpoint,
  hostOverride,
  tlsCaCertificate,
}: Pick<FabricOrganization, 'mspId' | 'endpoint' | 'hostOverride' | 'tlsCaCertificate'>) {
  return {
    options: { uri: `grpcs://${endpoint}` },
    properties: propertyList({
      msp_id: mspId,
      tls_server_name: hostOverride,
      tls_ca_certificate: tlsCaCertificate,
    }),
  };
}

/** Returns the properties of a ledger record for the network, as one organization sees it. */
export async function ledgerProperties(network: FabricNetwork, own: FabricOrganization) {
  const observer = await own.issueUser('observer');
  const { ca } = own;
  return {
    channel: network.channel,
    msp_id: own.mspId,
    observer_certificate: observer.certificate,
    observer_private_key: observer.privateKey,
    ca_url: ca.url,
    ca_name: ca.name,
    ca_tls_certificate: ca.tlsCaCertificate,
    ca_registrar_id: ca.registrar.enrollmentId,
    ca_registrar_secret: ca.registrar.enrollmentSecret,
    transfer_contract: `${network.channel}/token`,
    max_peer_calls: 200,
  };
}

export function organizationAt({ organizations }: FabricNetwork, index = 0): FabricOrganization {
  const found = organizations[index];
  if (found === undefined) throw new RangeError(`There is no organization ${index}.`);
  return found;
}

/** Creates a ledger record and its nodes over HTTP: the organization's own peer first. */
export async function addFabricLedger(
  product: Product,
  network: FabricNetwork,
  options: {
    ledgerId: string;
    organization?: number;
    properties?: Record<string, unknown>;
    /** Another route to the organization's own peer: `127.0.0.1:<port>`. */
    endpoint?: string;
  },
): Promise<void> {
  const { ledgerId, organization = 0, properties = {}, endpoint } = options;
  const own = organizationAt(network, organization);
  await expectStatus(product, 201, '/v1/ledgers', {
    ...{ ledgerID: ledgerId, name: ledgerId, ledgerTechnology: { ledgerTechnologyID: fabric } },
    properties: propertyList({ ...(await ledgerProperties(network, own)), ...properties }),
  });
  for (const one of [own, ...network.organizations.filter((other) => other !== own)]) {
    const nodeID = `${ledgerId}-${one.mspId}`;
    const node = nodeOf(one === own && endpoint !== undefined ? { ...one, endpoint } : one);
    await expectStatus(product, 201, '/v1/nodes', { ...node, nodeID, ledgerID: ledgerId });
  }
}

/** Creates a wallet over HTTP; with only a name it is registered and enrolled. */
export async function addFabricWallet(
  product: Product,
  ledgerId: string,
  parameters: Record<string, string> = {},
): Promise<FabricWallet> {
  const walletId = `wallet-${randomBytes(4).toString('hex')}`;
  const password = `correct horse ${randomBytes(6).toString('hex')}`;
  const given = 'certificate' in parameters || 'enrollmentId' in parameters;
  const { walletAddress } = await expectStatus(product, 201, '/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId },
    pluginParameters: {
      walletPassword: password,
      ...(given ? {} : { enrollmentId: walletId }),
      ...parameters,
    },
  });
  return { walletId, password, address: String(walletAddress) };
}

/** Posts, and asserts the response status. */
export async function expectStatus(
  product: Product,
  expected: number,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const { status, body: answer } = await product.call('POST', path, body, headers);
  if (status !== expected) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

function fabricMeta(content: Record<string, unknown>) {
  return { ledger: { [fabric]: { version: '0.1.0', native_transaction_content: content } } };
}

const locator = (type: string, value: string, resource: string) => ({
  lookup_service: { type, value },
  resource,
});

/** Returns a call to a chaincode by its address on the ledger. */
export function chaincodeGlo(
  address: string,
  method: string,
  args: readonly string[],
  native?: Record<string, unknown>,
) {
  return {
    ...{ version: '0.1.0', type: 'contract_call' },
    options: { contract_instance: locator('ledger', fabric, address), method_name: method, args },
    ...(native === undefined ? {} : { meta: fabricMeta(native) }),
  };
}

/** Returns a call to a registered contract, or to one that `action:<id>` deploys. */
export function contractGlo(contractId: string, method: string, args: readonly string[]) {
  return {
    ...{ version: '0.1.0', type: 'contract_call' },
    options: { contract_instance: locator('service', 'service', contractId), method_name: method, args },
  };
}

/** Returns a transfer to a wallet of the service, or to an address on the ledger. */
export function tokenGlo(recipient: { walletId: string } | { address: string }, amount: string) {
  const to =
    'walletId' in recipient
      ? locator('service', 'service', recipient.walletId)
      : locator('ledger', fabric, recipient.address);
  return { version: '0.1.0', type: 'transfer', options: { recipient: to, amount } };
}

/** Returns a deployment of a template's version. */
export function deployGlo(template: string, native: Record<string, unknown>) {
  return {
    ...{ version: '0.1.0', type: 'contract_deploy' },
    options: { contract_source: locator('service', 'service', template), args: [] },
    meta: fabricMeta(native),
  };
}

/** Returns the body of `send`. */
export function bodyOf({ walletId, password }: FabricWallet, glo: object, more: object = {}) {
  return { walletId, walletPassword: password, glo, ...more };
}

/** Sends; returns the action's id. */
export async function sendGlo(
  product: Product,
  wallet: FabricWallet,
  glo: object,
  more: object = {},
  headers: Record<string, string> = {},
) {
  const answer = await expectStatus(product, 201, '/v1/ledger-ops/send', bodyOf(wallet, glo, more), headers);
  return String(answer.actionId);
}

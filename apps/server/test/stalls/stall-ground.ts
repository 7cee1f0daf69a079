// One organization with 24 projects whose peers can stall, and another organization whose peers always respond.
import { tokenTemplate } from '@ledger-ops/devnet';
import {
  addProject,
  addTenant,
  addTokenTemplate,
  ended,
  type Installation,
  install,
  nobody,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import { UrlPlugin } from '../stage/url-plugin.ts';
import { StallingPeers } from './stalling-peers.ts';

/**
 * A project with the records (ledger, wallet, contract, plugin) that the operations need. All sides share one chain, but
 * each reaches it through its own node.
 */
export interface Side {
  /** Unique name in the installation. */
  readonly name: string;
  readonly here: Installation;
  readonly api: Tenant['api'];
  readonly projectId: string;
  readonly node: string;
  readonly receiver: string;
  /** URL of a remote plugin for the ledger's technology. */
  readonly plugin: string;
  readonly ledgerId: string;
  readonly walletId: string;
  readonly walletAddress: string;
  readonly contractId: string;
  readonly contractAddress: string;
  readonly subscriptionId: string;
  readonly groupId: string;
  readonly webhookId: string;
  readonly templateId: string;
  /** A finished call to the contract. */
  readonly actionId: string;
}

export interface StallGround {
  readonly here: Installation;
  /** Nodes of the projects whose peers can stall (`loud`), and receivers of their webhooks. */
  readonly nodes: StallingPeers;
  readonly receivers: StallingPeers;
  /** Remote plugins of the loud projects. Tests register them later. */
  readonly plugins: StallingPeers;
  readonly loud: readonly Side[];
  readonly quiet: Side;
  /** The peers of `quiet`, which always respond. */
  readonly calm: StallingPeers;
  close(): Promise<void>;
}

export const walletPassword = 'correct horse battery staple';

/** The peers of projects, by kind. */
type PeersByKind = Readonly<Record<'nodes' | 'receivers' | 'plugins', StallingPeers>>;

/** @param count number of projects whose peers stall */
export async function openStallGround(count: number): Promise<StallGround> {
  const stalling = {
    nodes: new StallingPeers(),
    receivers: new StallingPeers(),
    plugins: new StallingPeers(),
  };
  const calm = new StallingPeers();
  const plugin = await new UrlPlugin({ about: { name: 'far', technology: 'ethereum' } }).start();
  const loudPlugins: string[] = [];
  for (let at = 0; at < count; at += 1) loudPlugins.push(await stalling.plugins.open(plugin.url));
  const quietPlugin = await calm.open(plugin.url);
  const here = await install({ PLUGINS_ALLOWED: [...loudPlugins, quietPlugin].join(',') }, [], timing);
  const owner = await addTenant(here.url, here.administrator, 'loud');
  const other = await addTenant(here.url, here.administrator, 'quiet');
  const quiet = await addSide(here, {
    ...{ api: other.api, projectId: other.projectId, name: 'quiet', plugin: quietPlugin },
    peers: { nodes: calm, receivers: calm, plugins: calm },
  });
  const loud: Side[] = [];
  for (const [at, url] of loudPlugins.entries()) {
    const name = `loud-${at}`;
    const project = await addProject(here.url, owner, name);
    loud.push(await addSide(here, { ...project, name, plugin: url, peers: stalling }));
  }
  // Wallet searches then contact the ledger to find out whether the action of `quiet` is public.
  for (const side of loud) await transfer(quiet, side.walletAddress);
  const [first] = loud;
  if (first !== undefined) await transfer(first, quiet.walletAddress);
  return {
    ...{ here, ...stalling, loud, quiet, calm },
    async close() {
      await here.close();
      for (const peers of [...Object.values(stalling), calm]) await peers.close();
      await plugin.close();
    },
  };
}

/** Closes the sessions of changed ledgers soon, so that they do not stall later tests. Probes plugins often. */
const timing = { closeReplaced: 1_000, probe: 500 };

type Project = Pick<Tenant, 'api' | 'projectId'>;

/** Creates a funded wallet on a ledger of the chain. */
async function addWalletOn(
  { here, api, ledgerId }: Pick<Side, 'here' | 'api' | 'ledgerId'>,
  walletId: string,
): Promise<{ walletId: string; walletAddress: string }> {
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId, pluginParameters: { walletPassword } },
  });
  await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  return { walletId, walletAddress };
}

async function transfer({ api, walletId }: Side, to: string): Promise<void> {
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody(walletId, to));
  await ended(api, actionId);
}

async function addSide(
  here: Installation,
  { api, projectId, name, plugin, peers }: Project & { name: string; plugin: string; peers: PeersByKind },
): Promise<Side> {
  const node = await peers.nodes.open(here.anvil.url);
  const receiver = await peers.receivers.open();
  const [ledgerId, walletId, templateId] = [`${name}-ledger`, `${name}-wallet`, `${name}-token`];
  await api.expect(201, 'POST', '/v1/admin/ledgers', {
    ...{ ledgerId, name: ledgerId, technology: 'ethereum' },
    properties: { chain_id: 31_337, development: true, polling_interval: 500 },
    nodes: [{ nodeId: `${name}-node`, uri: node }],
  });
  const { walletAddress } = await addWalletOn({ here, api, ledgerId }, walletId);
  await addTokenTemplate(api, templateId);
  const deployed = await api.expect(201, 'POST', '/v1/smart-contracts/deployments', {
    ...{ walletId, walletPassword, templateId, tag: '1', args: ['T', 'T', '900'], ledgerId },
  });
  const { contractAddress = '' } = await ended(api, deployed.id ?? '');
  const { groupId = '' } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'Tokens' });
  const instances = `/v1/contract-groups/${groupId}/instances`;
  const { contractId = '' } = await api.expect(201, 'POST', instances, {
    ledgerReference: { ledgerId, nativeReference: contractAddress },
    interface: tokenTemplate.interface,
  });
  const call = { walletId, walletPassword, arguments: [nobody, '1'] };
  const { actionId = '' } = await api.expect(
    ...([201, 'POST', `${instances}/${contractId}/methods/transfer`, call] as const),
  );
  await ended(api, actionId);
  const { id: webhookId = '' } = await api.expect(201, 'POST', '/v1/webhooks', { url: `${receiver}/` });
  const { id: subscriptionId = '' } = await api.expect(201, 'POST', '/v1/contract-subscriptions', {
    contractId,
  });
  return {
    ...{ name, here, api, projectId, node, receiver, plugin, ledgerId, walletId, walletAddress },
    ...{ contractId, contractAddress, subscriptionId, groupId, webhookId, templateId, actionId },
  };
}

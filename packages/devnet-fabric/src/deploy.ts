import { DevnetError } from '@ledger-ops/devnet';
import { packageChaincode } from './chaincode/package.ts';
import { freePort, type RunningChaincode, startChaincode } from './chaincode/start.ts';
import {
  approveDefinition,
  commitDefinition,
  committedDefinition,
  type DefinitionRequest,
} from './client/agree.ts';
import { installChaincode } from './client/install.ts';
import { type MemberClient, openMemberClient } from './client/member-client.ts';
import type { Settings } from './ledger/database.ts';
import type { DeployedChaincode, DeployOptions, FabricOrganization } from './network-types.ts';
import { policyBytes } from './policy/parse.ts';

/** Deploys chaincode through the network's own lifecycle and endpoints, and runs it. */
export interface Deployer {
  deploy(options: DeployOptions): Promise<DeployedChaincode>;
  /** Stops the chaincode processes. */
  stop(): Promise<void>;
}

export interface DeployerContext {
  channel: string;
  organizations: readonly FabricOrganization[];
  mutualTls: boolean;
  settings: Settings;
}

/**
 * The last deployment of a chaincode. After a restart of the network, the services get the same addresses as in
 * their packages.
 */
interface Deployed {
  version: string;
  policy: string;
  contract: string;
  perOrganization: boolean;
  sequence: number;
  addresses: string[];
}

/** Creates a deployer for a running network. */
export function createDeployer(context: DeployerContext): Deployer {
  const running = new Map<string, RunningChaincode[]>();
  const underWay = new Set<Promise<unknown>>();
  let stopped = false;

  const deploy = async (options: DeployOptions): Promise<DeployedChaincode> => {
    const wanted = {
      version: options.version ?? '1.0',
      policy: options.policy ?? '/Channel/Application/Endorsement',
      contract: options.contract,
      perOrganization: options.perOrganization ?? false,
    };
    const { name } = options;
    const former = context.settings.get<Deployed>(settingName(name));
    const unchanged =
      former !== undefined && Object.entries(wanted).every(([key, value]) => isSame(former, key, value));
    const before = running.get(name) ?? [];
    if (unchanged && before.length > 0)
      return { name, version: wanted.version, sequence: former.sequence, services: before };

    const count = wanted.perOrganization ? context.organizations.length : 1;
    const services: RunningChaincode[] = [];
    try {
      const packages: Uint8Array[] = [];
      for (let at = 0; at < count; at += 1) {
        const address =
          (unchanged ? former.addresses[at] : undefined) ?? `127.0.0.1:${await freePort('127.0.0.1')}`;
        const { bytes, packageId } = await packageChaincode({
          label: `${name}_${wanted.version}`,
          address,
        });
        const mspId = wanted.perOrganization ? context.organizations[at]?.mspId : undefined;
        packages.push(bytes);
        services.push(
          await startChaincode({
            ...{ packageId, address, contract: wanted.contract, restart: options.restart ?? true },
            ...(mspId === undefined ? {} : { env: { CORE_PEER_LOCALMSPID: mspId } }),
          }),
        );
        if (stopped) throw isStopped();
      }
      const sequence = unchanged
        ? former.sequence
        : await agree(context, name, wanted.version, policyBytes(wanted.policy), packages);
      const addresses = services.map(({ address }) => address);
      context.settings.set(settingName(name), { ...wanted, sequence, addresses } satisfies Deployed);
      if (stopped) throw isStopped();
      running.set(name, services);
      await Promise.all(before.map((one) => one.stop()));
      return { name, version: wanted.version, sequence, services };
    } catch (error) {
      // If the deployment fails, the services of the previous one keep running.
      await Promise.all(services.map((one) => one.stop()));
      throw error;
    }
  };

  return {
    deploy: (options) => {
      if (stopped) throw isStopped();
      const deploying = deploy(options).finally(() => underWay.delete(deploying));
      underWay.add(deploying);
      return deploying;
    },
    async stop() {
      stopped = true;
      const all = [...running.values()].flat();
      running.clear();
      await Promise.all(all.map((one) => one.stop()));
      // Each pending deployment stops the services that it started.
      await Promise.allSettled(underWay);
    },
  };
}

function isStopped(): DevnetError {
  return new DevnetError('The network has been stopped, so chaincode cannot be deployed.');
}

/**
 * Installs, approves and commits the chaincode as an administrator of each organization.
 * @returns the sequence
 */
async function agree(
  context: DeployerContext,
  name: string,
  version: string,
  policy: Uint8Array,
  packages: readonly Uint8Array[],
): Promise<number> {
  const clients = await Promise.all(context.organizations.map((one) => clientFor(one, context)));
  try {
    const [first] = clients;
    if (first === undefined) throw new DevnetError('The network has no organization.');
    const { channel } = context;
    const committed = await committedDefinition(first.gateway, channel, name);
    const same =
      committed?.getVersion() === version &&
      Buffer.from(policy).equals(committed.getValidationParameter_asU8());
    const sequence = (committed?.getSequence() ?? 0) + (same ? 0 : 1);
    const definition: DefinitionRequest = { name, version, sequence, policy };
    await Promise.all(
      context.organizations.map(async ({ mspId, admin }, at) => {
        const client = clients[at] ?? first;
        const bytes = packages[at] ?? packages[0] ?? new Uint8Array();
        const packageId = await installChaincode(client.endorser, admin, bytes);
        await approveDefinition(client.gateway, channel, mspId, definition, packageId);
      }),
    );
    if (!same) await commitDefinition(first.gateway, channel, definition);
    return sequence;
  } finally {
    for (const client of clients) client.close();
  }
}

async function clientFor(
  organization: FabricOrganization,
  { mutualTls }: DeployerContext,
): Promise<MemberClient> {
  const { endpoint, hostOverride, tlsCaCertificate, admin } = organization;
  const clientTls = mutualTls ? { clientTls: await organization.issueClientTls('admin') } : {};
  return openMemberClient({ endpoint, hostOverride, tlsCaCertificate, member: admin, ...clientTls });
}

function settingName(name: string): string {
  return `deployed/${name}`;
}

function isSame(former: Deployed, key: string, value: unknown): boolean {
  return Object.entries(former).some(([name, one]) => name === key && one === value);
}

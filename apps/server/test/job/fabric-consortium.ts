import {
  type FabricNetwork,
  packageChaincode,
  type RunningChaincode,
  sampleChaincodes,
  startChaincode,
  startFabricNetwork,
} from '@ledger-ops/devnet-fabric';
import { freePort } from '../../../../testing/children.ts';
import { type FabricClient, openFabricClient } from './fabric-client.ts';
import {
  addFabricLedger,
  addFabricWallet,
  deployGlo,
  expectStatus,
  type FabricWallet,
  fabric,
  organizationAt,
} from './fabric-ledger.ts';
import type { Product } from './product.ts';

/** A network of two organizations, each with its own ledger record (`trade-0`, `trade-1`). */
export interface Consortium {
  network: FabricNetwork;
  client: FabricClient;
  /** A plain member of the first organization. */
  member: FabricWallet;
  /** Returns the wallet of an organization's administrator. */
  adminAt(organization: number): FabricWallet;
  /** Stops the network and the chaincodes. */
  close(): Promise<void>;
  /** Stores the sample chaincode `assetTransfer` as version 1.0 of a template with this name. */
  pack(name: string): Promise<PackedChaincode>;
}

/** A chaincode package stored in a template. */
export interface PackedChaincode {
  packageId: string;
  glo: ReturnType<typeof deployGlo>;
  /** Starts the chaincode's process. */
  run(): Promise<void>;
}

/** Starts the network, and creates its ledgers and wallets over HTTP. */
export async function openConsortium(product: Product): Promise<Consortium> {
  const [network] = await Promise.all([startFabricNetwork({ batch: { timeout: 20 } }), product.start()]);
  const chaincodes: RunningChaincode[] = [];
  const client = await openFabricClient(network);
  for (const organization of [0, 1])
    await addFabricLedger(product, network, { ledgerId: `trade-${organization}`, organization });
  const importAdmin = (organization: number) => {
    const { certificate, privateKey } = organizationAt(network, organization).admin;
    return addFabricWallet(product, `trade-${organization}`, { certificate, privateKey });
  };
  const [member, ...admins] = await Promise.all([
    addFabricWallet(product, 'trade-0'),
    importAdmin(0),
    importAdmin(1),
  ]);

  return {
    network,
    client,
    member,
    adminAt(organization) {
      const wallet = admins[organization];
      if (wallet === undefined) throw new RangeError(`There is no administrator ${organization}.`);
      return wallet;
    },
    async close() {
      client.close();
      await network.stop();
      await Promise.all(chaincodes.map((one) => one.stop()));
    },
    async pack(name) {
      const address = `127.0.0.1:${await freePort()}`;
      const { bytes, packageId } = await packageChaincode({ label: `${name}_1.0`, address });
      const templates = '/v1/smart-contracts/templates';
      await expectStatus(product, 201, templates, { contractTemplateID: name, name });
      const version = await expectStatus(product, 201, `${templates}/${name}/specifications`, {
        ...{ tag: '1.0', ledgerTechnology: { ledgerTechnologyID: fabric } },
        compilationSpecification: Buffer.from(bytes).toString('base64'),
      });
      if (version.compilationStatus !== 'COMPILED') throw new Error(JSON.stringify(version));
      return {
        packageId,
        glo: deployGlo(`${name}:1.0`, { name, version: '1.0' }),
        async run() {
          const contract = sampleChaincodes.assetTransfer;
          chaincodes.push(await startChaincode({ packageId, address, contract }));
        },
      };
    },
  };
}

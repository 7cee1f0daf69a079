import type { ChaincodeConnection } from '../chaincode/types.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Snapshot } from '../ledger/snapshot.ts';
import { parseApproval } from '../system/agreement.ts';
import { approvalKey, type Definition, definitionKey, lifecycleNamespace } from '../system/definitions.ts';
import type { Installed } from './installed.ts';

/** Dials a chaincode service. `name` is the package id that it was started with. */
export type ConnectChaincode = (options: {
  name: string;
  packageId: string;
  address: string;
  timeoutMs: number;
}) => ChaincodeConnection;

/** A chaincode that an organization's peer can execute. */
export interface Runnable {
  definition: Definition;
  packageId: string;
}

/** The chaincodes of one organization's peer, and its connections to them. */
export interface Chaincodes {
  /** Returns the chaincode, or a peer's error message if this peer cannot execute it. */
  resolve(name: string, snapshot: Snapshot): Runnable | string;
  /** Returns the connection to an installed chaincode. Created on first use. */
  connection(packageId: string): ChaincodeConnection;
  close(): Promise<void>;
}

export interface ChaincodesContext {
  channel: string;
  mspId: string;
  ledger: Ledger;
  installed: Installed;
  connect: ConnectChaincode;
  /** Timeout of one execution in milliseconds. */
  timeoutMs: number;
}

/** Creates the chaincodes of one organization's peer. */
export function createChaincodes(context: ChaincodesContext): Chaincodes {
  const { channel, mspId, ledger, installed } = context;
  const connections = new Map<string, ChaincodeConnection>();
  const approved = new Map<string, string>();
  const resolved = new Map<string, Runnable & { height: number }>();

  /** Returns the package that this organization approved for a definition. Each approval is parsed once. */
  const packageOf = ({ name, sequence }: Definition, snapshot: Snapshot): string | undefined => {
    const found = snapshot.get(lifecycleNamespace, approvalKey(mspId, name, sequence));
    if (found === undefined) return undefined;
    const at = `${found.version.block}/${found.version.position}`;
    const known = approved.get(at);
    if (known !== undefined) return known;
    const packageId = parseApproval(found.value).getSource()?.getLocalPackage()?.getPackageId() ?? '';
    approved.set(at, packageId);
    return packageId;
  };

  return {
    resolve(name, snapshot) {
      // The cached result is valid as long as the lifecycle has not changed.
      const height = ledger.lifecycleHeight();
      const known = snapshot.height >= height ? resolved.get(name) : undefined;
      if (known?.height === height) return known;
      const found = snapshot.get(lifecycleNamespace, definitionKey(name));
      if (found === undefined) return `chaincode ${name} not found`;
      const definition = ledger.definitions.parse(name, found);
      const failed = `chaincode definition for '${name}'`;
      const packageId = packageOf(definition, snapshot);
      if (packageId === undefined)
        return `${failed} at sequence ${definition.sequence} on channel '${channel}' has not yet been approved by this org`;
      if (!connections.has(packageId) && installed.find(packageId) === undefined)
        return `${failed} exists, but chaincode is not installed`;
      const runnable = { definition, packageId };
      if (snapshot.height >= height) resolved.set(name, { ...runnable, height });
      return runnable;
    },
    connection(packageId) {
      const known = connections.get(packageId);
      if (known !== undefined) return known;
      const address = installed.find(packageId)?.address ?? '';
      const made = context.connect({ name: packageId, packageId, address, timeoutMs: context.timeoutMs });
      connections.set(packageId, made);
      return made;
    },
    async close() {
      const all = [...connections.values()];
      connections.clear();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

import { peer } from '@hyperledger/fabric-protos';
import { adapterError, type Phase } from '@ledger-ops/adapter';
import { classify } from '../gateway/errors.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Queries } from '../gateway/query.ts';
import { isSystemChaincode } from '../identity/address.ts';
import { createLru } from '../lru.ts';

const { lifecycle } = peer;

/** A chaincode definition that stands on a channel. */
export interface CommittedDefinition {
  sequence: number;
  version: string;
  validationParameter: Uint8Array;
  initRequired: boolean;
}

/** Chaincode definitions of the channels, read under the query identity. */
export interface Definitions {
  /** Undefined where there is none of this name. @throws PeerError */
  committed(channel: string, name: string): Promise<CommittedDefinition | undefined>;
  /** Which organizations approved a definition that is not committed yet. @throws PeerError */
  approvals(args: peer.lifecycle.CheckCommitReadinessArgs, channel: string): Promise<Map<string, boolean>>;
  /** Remembers chaincodes that are there. @throws AdapterError `unknown-contract` */
  requireCommitted(channel: string, name: string, phase: Phase): Promise<void>;
}

export function createDefinitions(queries: Queries, timeout: number): Definitions {
  const known = createLru<string, true>(5000);

  async function committed(channel: string, name: string): Promise<CommittedDefinition | undefined> {
    const args = new lifecycle.QueryChaincodeDefinitionArgs();
    args.setName(name);
    try {
      const query = { channel, chaincode: '_lifecycle', method: 'QueryChaincodeDefinition' };
      const bytes = await queries.evaluate({ ...query, args: [args.serializeBinary()] }, timeout);
      const found = lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(bytes);
      return {
        sequence: found.getSequence(),
        version: found.getVersion(),
        validationParameter: found.getValidationParameter_asU8(),
        initRequired: found.getInitRequired(),
      };
    } catch (error) {
      // "namespace <name> is not defined"
      if (error instanceof PeerError && /is not defined/.test(classify(error).chaincode?.message ?? '')) {
        return undefined;
      }
      throw error;
    }
  }

  return {
    committed,
    async approvals(args, channel) {
      const query = { channel, chaincode: '_lifecycle', method: 'CheckCommitReadiness' };
      const bytes = await queries.evaluate({ ...query, args: [args.serializeBinary()] }, timeout);
      const found = lifecycle.CheckCommitReadinessResult.deserializeBinary(bytes);
      return new Map(found.getApprovalsMap().entries());
    },
    async requireCommitted(channel, name, phase) {
      const key = `${channel}/${name}`;
      if (known.get(key) !== undefined || isSystemChaincode(name)) return;
      if ((await committed(channel, name)) === undefined) {
        const detail = `There is no chaincode ${name} on the channel ${channel}.`;
        throw adapterError('unknown-contract', phase, detail, {
          issues: [{ pointer: '/contract_instance/resource', detail: 'names a chaincode that is not there' }],
        });
      }
      known.set(key, true);
    },
  };
}

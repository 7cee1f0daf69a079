import { peer } from '@hyperledger/fabric-protos';
import { adapterError, type Phase } from '@ledger-ops/adapter';
import { isSystemChaincode } from './address.ts';
import { classify } from './errors.ts';
import { createLru } from './lru.ts';
import { PeerFailure } from './peer-failure.ts';
import type { Reader } from './reader.ts';

const { lifecycle } = peer;

/** A chaincode definition that stands on a channel. */
export interface CommittedDefinition {
  sequence: number;
  version: string;
  validationParameter: Uint8Array;
  initRequired: boolean;
}

/** Chaincode definitions of the channels, read as the observer. */
export interface Definitions {
  /** Undefined where there is none of this name. @throws PeerFailure */
  committed(channel: string, name: string): Promise<CommittedDefinition | undefined>;
  /** Which organizations approved a definition that is not committed yet. @throws PeerFailure */
  approvals(args: peer.lifecycle.CheckCommitReadinessArgs, channel: string): Promise<Map<string, boolean>>;
  /** Remembers chaincodes that are there. @throws AdapterError `unknown-contract` */
  requireCommitted(channel: string, name: string, phase: Phase): Promise<void>;
}

export function createDefinitions(reader: Reader, timeout: number): Definitions {
  const known = createLru<string, true>(5000);

  async function committed(channel: string, name: string): Promise<CommittedDefinition | undefined> {
    const args = new lifecycle.QueryChaincodeDefinitionArgs();
    args.setName(name);
    try {
      const question = { channel, chaincode: '_lifecycle', method: 'QueryChaincodeDefinition' };
      const bytes = await reader.ask({ ...question, args: [args.serializeBinary()] }, timeout);
      const found = lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(bytes);
      return {
        sequence: found.getSequence(),
        version: found.getVersion(),
        validationParameter: found.getValidationParameter_asU8(),
        initRequired: found.getInitRequired(),
      };
    } catch (error) {
      // "namespace <name> is not defined"
      if (error instanceof PeerFailure && /is not defined/.test(classify(error).chaincode?.message ?? '')) {
        return undefined;
      }
      throw error;
    }
  }

  return {
    committed,
    async approvals(args, channel) {
      const question = { channel, chaincode: '_lifecycle', method: 'CheckCommitReadiness' };
      const bytes = await reader.ask({ ...question, args: [args.serializeBinary()] }, timeout);
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

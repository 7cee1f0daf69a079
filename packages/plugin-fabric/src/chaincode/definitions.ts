import { peer } from '@hyperledger/fabric-protos';
import { adapterError, type Phase } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import { classify, isPeersFault } from '../gateway/errors.ts';
import { definitionShape, demandFewFields, fewFields, readinessShape } from '../gateway/message-fields.ts';
import { PeerError } from '../gateway/peer-error.ts';
import { type Queries, type Query, readable } from '../gateway/query.ts';
import { isSystemChaincode } from '../identity/address.ts';

const { lifecycle } = peer;

/** A committed chaincode definition of a channel. */
export interface CommittedDefinition {
  sequence: number;
  version: string;
  validationParameter: Uint8Array;
  initRequired: boolean;
}

/** Chaincode definitions of the channels, read as the query identity. */
export interface Definitions {
  /** Returns undefined if there is no definition of this name. @throws PeerError */
  committed(channel: string, name: string): Promise<CommittedDefinition | undefined>;
  /** Returns which organizations approved a definition that is not committed yet. @throws PeerError */
  approvals(args: peer.lifecycle.CheckCommitReadinessArgs, channel: string): Promise<Map<string, boolean>>;
  /**
   * Checks that a chaincode is committed, and caches the result. A peer may lack the block that defines the
   * chaincode, so it is reported as missing only if every gateway lacks it.
   *
   * @throws AdapterError `unknown-contract`
   * @throws PeerError if a peer that may have it does not answer
   */
  requireCommitted(channel: string, name: string, phase: Phase): Promise<void>;
}

export function createDefinitions(queries: Queries, timeout: number): Definitions {
  const known = new QuickLRU<string, true>({ maxSize: 5000 });

  async function committed(channel: string, name: string): Promise<CommittedDefinition | undefined> {
    try {
      return readable(await queries.evaluate(definitionQuery(channel, name), timeout), readDefinition);
    } catch (error) {
      if (isUndefinedThere(error)) return undefined;
      throw error;
    }
  }

  async function isOnAnyPeer(channel: string, name: string): Promise<boolean> {
    const answers = await queries.queryEachPeer(definitionQuery(channel, name), timeout, readDefinition);
    const failures = answers.filter((answer) => answer instanceof PeerError);
    if (failures.length < answers.length) return true;
    const unsaid = failures.find((failure) => !isUndefinedThere(failure) && isPeersFault(failure));
    if (unsaid !== undefined) throw unsaid;
    return false;
  }

  return {
    committed,
    async approvals(args, channel) {
      const query = { channel, chaincode: '_lifecycle', method: 'CheckCommitReadiness' };
      const bytes = await queries.evaluate({ ...query, args: [args.serializeBinary()] }, timeout);
      return readable(bytes, readReadiness);
    },
    async requireCommitted(channel, name, phase) {
      const key = `${channel}/${name}`;
      if (known.get(key) !== undefined || isSystemChaincode(name)) return;
      if ((await committed(channel, name)) === undefined && !(await isOnAnyPeer(channel, name))) {
        const detail = `The channel ${channel} has no chaincode ${name}.`;
        throw adapterError('unknown-contract', detail, {
          phase,
          issues: [
            { pointer: '/contract_instance/resource', detail: 'names a chaincode that does not exist' },
          ],
        });
      }
      known.set(key, true);
    },
  };
}

function definitionQuery(channel: string, name: string): Query {
  const args = new lifecycle.QueryChaincodeDefinitionArgs();
  args.setName(name);
  const query = { channel, chaincode: '_lifecycle', method: 'QueryChaincodeDefinition' };
  return { ...query, args: [args.serializeBinary()] };
}

function readDefinition(bytes: Uint8Array): CommittedDefinition {
  demandFewFields(bytes, definitionShape, fewFields);
  const found = lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(bytes);
  return {
    sequence: found.getSequence(),
    version: found.getVersion(),
    validationParameter: found.getValidationParameter_asU8(),
    initRequired: found.getInitRequired(),
  };
}

function readReadiness(bytes: Uint8Array): Map<string, boolean> {
  demandFewFields(bytes, readinessShape, fewFields);
  return new Map(lifecycle.CheckCommitReadinessResult.deserializeBinary(bytes).getApprovalsMap().entries());
}

/** Whether the error's message is "namespace <name> is not defined". */
function isUndefinedThere(error: unknown): boolean {
  return error instanceof PeerError && /is not defined/.test(classify(error).chaincode?.message ?? '');
}

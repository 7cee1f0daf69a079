import { peer } from '@hyperledger/fabric-protos';
import type { Version } from '../messages/read-write-set.ts';
import { applicationPolicy, type EndorsementPolicy } from '../policy/application-policy.ts';

const { lifecycle } = peer;

/** The namespace of the chaincode lifecycle. */
export const lifecycleNamespace = '_lifecycle';

/** A chaincode definition committed to the channel. */
export interface Definition {
  name: string;
  sequence: number;
  version: string;
  initRequired: boolean;
  /** Undefined if the definition refers to a policy that the channel does not have. */
  policy: EndorsementPolicy | undefined;
  /** The definition as committed, with defaults filled in. */
  parameters: peer.lifecycle.CommitChaincodeDefinitionArgs;
}

/** The committed definitions. Each is parsed once. */
export interface Definitions {
  parse(name: string, found: { value: Uint8Array; version: Version }): Definition;
}

/** Returns the key of the committed definition of a chaincode. */
export function definitionKey(name: string): string {
  return `${definitionPrefix}${name}`;
}

/** Prefix of the name in {@link definitionKey}. */
export const definitionPrefix = 'definitions/';

/**
 * Returns the key of an organization's approval. A peer stores the approval in the organization's implicit
 * private collection; in this network it is public. As with the collection, only that organization's peer can
 * endorse a write to it.
 */
export function approvalKey(mspId: string, name: string, sequence: number): string {
  return `approvals/${mspId}/${name}#${sequence}`;
}

/** Returns the organization that a key's approval belongs to. */
export function approvalOwner(key: string): string | undefined {
  return /^approvals\/([^/]+)\//.exec(key)?.[1];
}

/** Creates the reader of definitions for a channel of these organizations. */
export function createDefinitions(organizations: readonly string[]): Definitions {
  const known = new Map<string, { version: Version; definition: Definition }>();
  return {
    parse(name, { value, version }) {
      const found = known.get(name);
      if (found?.version.block === version.block && found.version.position === version.position)
        return found.definition;
      const parameters = lifecycle.CommitChaincodeDefinitionArgs.deserializeBinary(value);
      const definition: Definition = {
        name,
        sequence: parameters.getSequence(),
        version: parameters.getVersion(),
        initRequired: parameters.getInitRequired(),
        policy: applicationPolicy(parameters.getValidationParameter_asU8(), organizations),
        parameters,
      };
      known.set(name, { version, definition });
      return definition;
    },
  };
}

import type { ContentIssue } from '../../content/content-run.ts';
import { ownPattern } from '../../content/pattern.ts';
import type { JsonObject } from '../../json/json-values.ts';
import { gloLimits } from '../../limits.ts';
import { readMember } from '../../read-member.ts';
import { currentGloVersion, readableVersion } from '../../version.ts';
import { compileTechnology, type GloContent, type GloTechnology } from '../technology.ts';
import { lazyTechnology } from './lazy.ts';
import { readTyped } from './read-typed.ts';

/** `meta.ledger.hyperledger-fabric.native_transaction_content`. */
export interface FabricContent {
  channel?: string;
  chaincode?: string;
  /** Name of the contract inside the chaincode. */
  contract?: string;
  /** Transient map: name to base64. */
  transient?: Record<string, string>;
  /** MSP ids. If undefined, the gateway chooses. */
  endorsingOrganizations?: string[];
  /** Deployment only. */
  name?: string;
  version?: string;
  endorsementPolicy?: string;
}

const deploymentMembers = ['name', 'version', 'endorsement_policy'] as const;

const name: JsonObject = {
  type: 'string',
  maxLength: gloLimits.nameLength,
  pattern: '^[^\\p{Cc}\\p{Cs}]+$',
  'x-detail': 'must be a non-empty string without control characters',
};

/** A part of a locator (`channel/chaincode/contract`), which therefore contains no slash. */
const locatorPart: JsonObject = {
  type: 'string',
  maxLength: gloLimits.nameLength,
  pattern: '^[^\\p{Cc}\\p{Cs}/]+$',
  'x-detail': 'must be a non-empty string without slashes and control characters',
};

/** Native transaction content of Hyperledger Fabric: the transaction fields that an operation may set. */
export const fabricGloContent: GloContent = /*@__PURE__*/ {
  schema: {
    type: 'object',
    properties: {
      channel: locatorPart,
      chaincode: locatorPart,
      contract: locatorPart,
      transient: {
        type: 'object',
        maxProperties: gloLimits.transientEntries,
        propertyNames: name,
        additionalProperties: {
          type: 'string',
          maxLength: gloLimits.transientLength,
          format: 'base64',
          writeOnly: true,
        },
      },
      endorsing_organizations: {
        type: 'array',
        minItems: 1,
        maxItems: gloLimits.endorsingOrganizations,
        items: name,
      },
      name,
      version: name,
      endorsement_policy: {
        type: 'string',
        maxLength: gloLimits.endorsementPolicyLength,
        description: 'Must not contain lone surrogates.',
      },
    },
    additionalProperties: false,
  },
  version: readableVersion.source,
  currentVersion: currentGloVersion,
  overrides: { addressParts: ['channel', 'chaincode', 'contract'] },
};

/** Hyperledger Fabric according to the specification. */
export const hyperledgerFabric: GloTechnology = /*@__PURE__*/ lazyTechnology('hyperledger-fabric', () =>
  compileTechnology('hyperledger-fabric', fabricGloContent, ownPattern, rules),
);

/**
 * Fabric content with members in camel case.
 *
 * @param pointer JSON Pointer of the content, for the issues.
 * @throws {GloError} if it violates the schema.
 */
export function readFabricContent(content: JsonObject, pointer = ''): FabricContent {
  const { endorsing_organizations, endorsement_policy, ...rest } = readTyped(
    hyperledgerFabric,
    content,
    pointer,
  );
  // The schema guarantees this.
  return {
    ...rest,
    ...(endorsing_organizations === undefined ? {} : { endorsingOrganizations: endorsing_organizations }),
    ...(endorsement_policy === undefined ? {} : { endorsementPolicy: endorsement_policy }),
  } as FabricContent;
}

function rules(content: unknown, type: unknown, pointer: string): ContentIssue[] {
  return deploymentMembers
    .filter((member) => type !== 'contract_deploy' && readMember(content, member) !== undefined)
    .map((member) => ({
      pointer: `${pointer}/${member}`,
      detail: 'is only allowed for contract_deploy; remove it',
    }));
}

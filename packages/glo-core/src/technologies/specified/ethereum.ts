import type { ContentIssue } from '../../content/content-run.ts';
import { ownPattern } from '../../content/pattern.ts';
import type { JsonObject } from '../../json/json-values.ts';
import { gloLimits } from '../../limits.ts';
import { isQuantity } from '../../quantity.ts';
import { isObject, readMember } from '../../read-member.ts';
import { compileTechnology, type GloContent, type GloTechnology } from '../technology.ts';
import { lazyTechnology } from './lazy.ts';
import { readTyped } from './read-typed.ts';

/** One entry of an EIP-2930 access list. */
export interface AccessListEntry {
  /** 20-byte address in `0x` hex. Letter case is kept as in the request. */
  address: string;
  /** 32-byte storage keys, `0x` hex. */
  storageKeys: string[];
}

/** `meta.ledger.ethereum.native_transaction_content`. Quantities are in wei, gas units or counts. */
export interface EthereumContent {
  from?: string;
  to?: string;
  data?: string;
  chainId?: bigint;
  nonce?: bigint;
  value?: bigint;
  gasPrice?: bigint;
  gasLimit?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
  accessList?: AccessListEntry[];
}

const quantities = [
  'chainId',
  'nonce',
  'value',
  'gasPrice',
  'gasLimit',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

function hexOf(digits: number): JsonObject {
  return {
    type: 'string',
    maxLength: digits + 2,
    pattern: `^0x[0-9a-fA-F]{${digits}}$`,
    'x-detail': `must be 0x followed by ${digits} hexadecimal digits`,
  };
}

const quantity: JsonObject = { format: 'quantity' };

function feeOf(description: string): JsonObject {
  return { ...quantity, description, 'x-unit': { name: 'gwei per gas', decimals: 9 } };
}

/** Native transaction content of Ethereum: the transaction fields that an operation may set. */
export const ethereumGloContent: GloContent = /*@__PURE__*/ {
  schema: {
    type: 'object',
    properties: {
      from: hexOf(40),
      to: hexOf(40),
      data: { type: 'string', maxLength: 2 + 2 * gloLimits.dataBytes, format: 'hex' },
      chainId: quantity,
      nonce: { ...quantity, description: 'Must be the next free nonce. If absent, the service assigns it.' },
      value: quantity,
      gasPrice: feeOf(
        'Gas price of a legacy transaction. If absent, the ledger’s properties determine the fee.',
      ),
      gasLimit: { ...quantity, description: 'Maximum gas. If absent, the node estimates it.' },
      maxFeePerGas: feeOf(
        'Maximum fee, including the tip. If absent, it is derived from the base fee of the newest block.',
      ),
      maxPriorityFeePerGas: feeOf('Maximum tip. If absent, the node suggests it.'),
      accessList: {
        type: 'array',
        maxItems: gloLimits.accessListEntries,
        items: {
          type: 'object',
          properties: {
            address: hexOf(40),
            storageKeys: { type: 'array', maxItems: gloLimits.storageKeys, items: hexOf(64) },
          },
          required: ['address', 'storageKeys'],
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  currentVersion: '1',
  overrides: { address: 'to', amount: 'value', data: 'data', ignoreCase: true },
};

/** Ethereum according to the specification. Any version of its meta is accepted. */
export const ethereum: GloTechnology = /*@__PURE__*/ lazyTechnology('ethereum', () =>
  compileTechnology('ethereum', ethereumGloContent, ownPattern, rules),
);

/**
 * Ethereum content with its quantities as bigint.
 *
 * @param pointer JSON Pointer of the content, for the issues.
 * @throws {GloError} if it violates the schema.
 */
export function readEthereumContent(content: JsonObject, pointer = ''): EthereumContent {
  const read: Record<string, unknown> = readTyped(ethereum, content, pointer);
  for (const name of quantities) {
    const text = read[name];
    if (typeof text === 'string') read[name] = BigInt(text);
  }
  // The schema guarantees this.
  return read as EthereumContent;
}

function rules(content: unknown, type: unknown, pointer: string): ContentIssue[] {
  const issues: ContentIssue[] = [];
  const gasPrice = readMember(content, 'gasPrice');
  const maximum = readMember(content, 'maxFeePerGas');
  const priority = readMember(content, 'maxPriorityFeePerGas');
  if (gasPrice !== undefined && (maximum !== undefined || priority !== undefined)) {
    const detail =
      'requests a legacy transaction and cannot be combined with maxFeePerGas or maxPriorityFeePerGas; use one or the other';
    issues.push({ pointer: `${pointer}/gasPrice`, detail });
  }
  if (isQuantity(maximum) && isQuantity(priority) && BigInt(priority) > BigInt(maximum)) {
    issues.push({ pointer: `${pointer}/maxPriorityFeePerGas`, detail: 'must not exceed maxFeePerGas' });
  }
  if (type === 'contract_deploy' && readMember(content, 'to') !== undefined) {
    const detail = 'is not allowed for contract_deploy, which has no recipient; remove it';
    issues.push({ pointer: `${pointer}/to`, detail });
  }
  const keys = storageKeysOf(readMember(content, 'accessList'));
  if (keys > gloLimits.allStorageKeys) {
    const detail = `must have at most ${gloLimits.allStorageKeys} storage keys in total`;
    issues.push({ pointer: `${pointer}/accessList`, detail, alone: true });
  }
  return issues;
}

function storageKeysOf(list: unknown): number {
  if (!Array.isArray(list) || list.length > gloLimits.accessListEntries) return 0;
  return list.reduce((sum: number, entry: unknown) => {
    const keys = isObject(entry) ? readMember(entry, 'storageKeys') : undefined;
    return sum + (Array.isArray(keys) ? keys.length : 0);
  }, 0);
}

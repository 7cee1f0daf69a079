import type { Phase } from '@ledger-ops/adapter';
import { invalid } from '../invalid.ts';

/** `<mspId>/<common name>`. */
export function addressOf(mspId: string, commonName: string): string {
  return `${mspId}/${commonName}`;
}

/**
 * Validates the address of an account: `<mspId>/<common name>`, or `x509::<subject>::<issuer>` as chaincode
 * sees its caller. Both are kept unchanged, because Fabric's names are case-sensitive.
 *
 * @throws AdapterError `invalid-argument` at the pointer
 */
export function requireAddress(text: string, phase: Phase, pointer: string): string {
  const form = /^x509::/.test(text)
    ? /^x509::[^\p{Cc}]+?::[^\p{Cc}]+$/u.test(text)
    : /^[A-Za-z0-9._-]{1,128}\/[^\p{Cc}\s](?:[^\p{Cc}]*[^\p{Cc}\s])?$/u.test(text);
  if (form && text.length <= 1024) return text;
  throw invalid(phase, pointer, 'must be <mspId>/<common name> or x509::<subject>::<issuer>');
}

/** The address of a contract: `channel/chaincode` or `channel/chaincode/contract`. */
export interface ContractAddress {
  channel: string;
  chaincode: string;
  /** The contract in the chaincode; undefined for the default contract. */
  contract?: string;
}

const names = {
  // See Fabric, common/configtx/validator.go and core/chaincode/lifecycle/scc.go.
  channel: /^[a-z][a-z0-9.-]{0,248}$/,
  chaincode: /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
  /** Names of the peers' own chaincode, such as `_lifecycle`. */
  ofPeers: /^_[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
};

/**
 * Names that Fabric, including old versions, reserves for the peers' own chaincode
 * (core/chaincode/lifecycle/scc.go).
 */
const systemChaincodes: ReadonlySet<string> = new Set(['cscc', 'escc', 'lscc', 'qscc', 'vscc']);

/** Whether this is system chaincode, whose functions return blocks, transactions and configuration. */
export function isSystemChaincode(name: string): boolean {
  return name.startsWith('_') || systemChaincodes.has(name);
}

/** @throws AdapterError `invalid-argument` at the pointer */
export function readContractAddress(text: string, phase: Phase, pointer: string): ContractAddress {
  const [channel = '', chaincode = '', contract, ...more] = text.split('/');
  if (more.length > 0 || chaincode === '' || contract === '') {
    throw invalid(phase, pointer, 'must be channel/chaincode or channel/chaincode/contract');
  }
  if (!names.channel.test(channel)) {
    throw invalid(phase, pointer, `names the channel ${quote(channel)}, which is not a valid channel name`);
  }
  if (!names.chaincode.test(chaincode) && !names.ofPeers.test(chaincode)) {
    throw invalid(
      phase,
      pointer,
      `names the chaincode ${quote(chaincode)}, which is not a valid chaincode name`,
    );
  }
  return contract === undefined ? { channel, chaincode } : { channel, chaincode, contract };
}

export function isChaincodeName(text: string): boolean {
  return names.chaincode.test(text);
}

export function isChannelName(text: string): boolean {
  return names.channel.test(text);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

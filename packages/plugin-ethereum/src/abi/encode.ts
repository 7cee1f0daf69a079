import type { Phase, ResolvedOperation } from '@ledger-ops/adapter';
import type { FunctionFragment } from 'ethers';
import { invalid } from '../invalid.ts';
import { requireAddress, zeroAddress } from '../transactions/address.ts';
import { bytesOf, requireDataSize } from '../transactions/size.ts';
import { readArguments } from './arguments.ts';
import { encodeAbi } from './encode-arguments.ts';
import { type AbiCache, constructorOf, readSignature, selectMethod } from './interface.ts';

/** Target, value and data of a checked operation. */
export interface EncodedOperation {
  to: string | null;
  value: bigint;
  /** `0x` hex, lower case. */
  data: string;
  /** The called method, if known: needed to decode the result. */
  method: FunctionFragment | undefined;
  /** Custom errors that the interface declares. */
  errors: readonly string[];
}

const maximum = (1n << 256n) - 1n;

/**
 * Encodes an operation.
 * @throws AdapterError `invalid-argument`, `unknown-method`, `ambiguous-method`.
 */
export function encodeOperation(
  operation: ResolvedOperation,
  abis: AbiCache,
  phase: Phase,
): EncodedOperation {
  switch (operation.type) {
    case 'transfer': {
      const to = requireAddress(operation.recipient, phase, '/recipient/resource');
      const value = requireAmount(operation.amount, phase, '/amount');
      return { to, value, data: requireData(operation.data ?? '0x', phase), method: undefined, errors: [] };
    }
    case 'contract_call':
      return encodeCall(operation, abis, phase);
    case 'contract_deploy':
      return encodeDeployment(operation, abis, phase);
  }
}

function encodeCall(
  operation: ResolvedOperation & { type: 'contract_call' },
  abis: AbiCache,
  phase: Phase,
): EncodedOperation {
  const { contract, method, data } = operation;
  const to =
    contract.address === null ? null : requireAddress(contract.address, phase, '/contract_instance/resource');
  if (to === zeroAddress) {
    throw invalid(phase, '/contract_instance/resource', 'is the zero address, which cannot be a contract');
  }
  const value = requireAmount(operation.value, phase, '/native/value');
  const parsed =
    contract.interface === undefined
      ? undefined
      : abis.parse(contract.interface, phase, '/contract_instance/interface');
  const errors = parsed?.errors ?? [];
  if (data !== undefined) return { to, value, data: requireData(data, phase), method: undefined, errors };
  if (method === undefined)
    throw invalid(phase, '/method_name', 'is missing: name a method, or put data in meta');
  const fragment =
    parsed === undefined
      ? readSignature(method.name, phase)
      : selectMethod(parsed, method.name, method.args.length, phase);
  const values = readArguments(fragment.inputs, method.args, phase);
  if (parsed !== undefined && !fragment.payable && value > 0n) {
    throw invalid(phase, '/native/value', `must be 0: ${fragment.format('sighash')} is not payable`);
  }
  const encoded = fragment.selector + encodeAbi(fragment.inputs, values);
  return {
    to,
    value,
    data: requireLength(encoded, phase, '/args'),
    // Undefined for a method with types outside the ABI, so that its result is returned as bytes.
    method: parsed?.methods.includes(fragment) === true ? fragment : undefined,
    errors,
  };
}

function encodeDeployment(
  operation: ResolvedOperation & { type: 'contract_deploy' },
  abis: AbiCache,
  phase: Phase,
): EncodedOperation {
  const { source, data, args } = operation;
  const value = requireAmount(operation.value, phase, '/native/value');
  const base = { to: null, value, method: undefined };
  if (data !== undefined) {
    return { ...base, data: requireCode(data, phase, '/native/data'), errors: [] };
  }
  if (source === undefined) {
    throw invalid(phase, '/contract_source', 'is missing: name a template, or put creation code in meta');
  }
  const parsed = abis.parse(source.interface, phase, '/contract_source/interface');
  const creation = constructorOf(parsed, phase);
  if (!creation.payable && value > 0n) {
    throw invalid(phase, '/native/value', 'must be 0: the constructor is not payable');
  }
  const code = requireCode(source.code, phase, '/contract_source/resource');
  const values = readArguments(creation.inputs, args, phase);
  const whole = requireLength(code + encodeAbi(creation.inputs, values), phase, '/args');
  return { ...base, data: whole, errors: parsed.errors };
}

/** Rejects data that is longer than any transaction before doing other work. @throws AdapterError `refused` */
function requireLength(data: string, phase: Phase, pointer: string): string {
  requireDataSize(bytesOf(data), phase, pointer);
  return data;
}

function requireAmount(value: bigint, phase: Phase, pointer: string): bigint {
  if (value >= 0n && value <= maximum) return value;
  throw invalid(phase, pointer, 'must be between 0 and 2^256 - 1');
}

function requireData(data: string, phase: Phase): string {
  requireLength(data, phase, '/native/data');
  if (/^0x(?:[0-9a-fA-F]{2})*$/.test(data)) return data.toLowerCase();
  throw invalid(phase, '/native/data', 'must be 0x followed by an even number of hexadecimal digits');
}

function requireCode(code: string, phase: Phase, pointer: string): string {
  const full = code.startsWith('0x') ? code : `0x${code}`;
  requireLength(full, phase, pointer);
  if (/^0x(?:[0-9a-fA-F]{2})+$/.test(full)) return full.toLowerCase();
  const detail = full.includes('__')
    ? 'is creation code with unlinked libraries; link them first'
    : 'is not creation code; it must be 0x followed by hexadecimal digits';
  throw invalid(phase, pointer, detail);
}

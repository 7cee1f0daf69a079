import { invalidRequest, Problem } from '@ledger-ops/base';
import type { ContractReader } from '../src/contracts/types.ts';

/** Reads JSON interfaces and 20-byte addresses, like an adapter for Ethereum. */
export const reader: ContractReader = {
  async readInterface(_place, text) {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      throw new Problem('invalid-request', 'is not JSON');
    }
  },
  async constructorInputs(_place, text) {
    const found = JSON.parse(text).find(({ type }: { type: string }) => type === 'constructor');
    return found?.inputs ?? [];
  },
  async normaliseAddress(_place, address) {
    if (/^0x[0-9a-f]{40}$/i.test(address)) return address.toLowerCase();
    throw invalidRequest([{ pointer: '', detail: 'is not an address' }]);
  },
  async demandContract(_place, address) {
    if (!address.endsWith('ff')) return;
    const errors = [{ pointer: '', detail: 'is an address without code' }];
    throw new Problem('unknown-contract', 'There is no contract at this address.', { errors });
  },
};

/** An address of one repeated byte. */
export const address = (byte: string) => `0x${byte.repeat(20)}`;

import { describe, expect, it } from 'vitest';
import {
  GloError,
  parseGlo,
  parseLocator,
  resolveContract,
  serialiseGlo,
  serialiseLocator,
} from './index.ts';

const service = { lookup_service: { type: 'service', value: 'service' }, resource: 'wallet-1' };
const ledger = { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: '0xabc' };
const older = { type: 'contract_call', params: { contractInstance: 'contract-1', methodName: 'get' } };

describe('parseLocator', () => {
  it('reads both locator types and writes them back', () => {
    expect(parseLocator(service)).toEqual({ type: 'service', resource: 'wallet-1' });
    expect(parseLocator(ledger)).toEqual({ type: 'ledger', technology: 'ethereum', resource: '0xabc' });
    expect(serialiseLocator(parseLocator(service))).toEqual(service);
    expect(serialiseLocator(parseLocator(ledger))).toEqual(ledger);
  });

  it('refuses a locator of a ledger other than the target, and names both ledgers', () => {
    expect(() => parseLocator(ledger, { target: 'hyperledger-fabric', pointer: '/recipient' })).toThrow(
      expect.objectContaining({
        code: 'wrong-ledger',
        issues: [
          {
            pointer: '/recipient/lookup_service/value',
            detail: expect.stringMatching(/"ethereum".*"hyperledger-fabric"/),
          },
        ],
      }),
    );
    expect(parseLocator(ledger, { target: 'ethereum' }).type).toBe('ledger');
    expect(parseLocator(service, { target: 'hyperledger-fabric' }).type).toBe('service');
  });

  it.each([null, 'wallet-1', 7, [], {}, { ...service, extra: 1 }])('parseLocator refuses %j', (value) => {
    expect(() => parseLocator(value)).toThrow(GloError);
  });
});

describe('an unresolved contract', () => {
  it('refuses to write an unresolved contract', () => {
    const glo = parseGlo(older);
    expect(() => serialiseLocator({ type: 'unresolved', resource: 'c' }, '/x')).toThrow(
      expect.objectContaining({
        issues: [{ pointer: '/x', detail: expect.stringContaining('resolveContract') }],
      }),
    );
    expect(() => serialiseGlo(glo)).toThrow(/options\/contract_instance .*resolveContract/);
    const resolved = resolveContract(glo, { type: 'service', resource: 'contract-1' });
    expect(serialiseGlo(resolved)).toEqual({
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: 'contract-1' },
        method_name: 'get',
        args: [],
      },
    });
  });

  it('resolving a GLO does not change the given object, and does not change a resolved GLO', () => {
    const glo = parseGlo(older);
    const resolved = resolveContract(glo, { type: 'service', resource: 'a' });
    expect(glo).toEqual(parseGlo(older));
    expect(resolveContract(resolved, { type: 'service', resource: 'b' })).toBe(resolved);
  });
});

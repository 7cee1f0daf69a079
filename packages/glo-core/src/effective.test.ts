import { describe, expect, it } from 'vitest';
import {
  effectiveOperation,
  ethereum,
  hyperledgerFabric,
  operationKey,
  parseGlo,
  withoutSecrets,
} from './index.ts';

const transfer = {
  version: '0.1.0',
  type: 'transfer',
  options: {
    recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: '0xabc' },
    amount: '10',
  },
  meta: {
    ledger: { ethereum: { version: '0.1.0', native_transaction_content: { gasLimit: 21000, nonce: '0x1' } } },
  },
};

describe('effectiveOperation', () => {
  it('refuses a GLO whose locator and meta name different ledgers, and returns the pointers of both', () => {
    expect(() => effectiveOperation(parseGlo(transfer), hyperledgerFabric)).toThrow(
      expect.objectContaining({
        code: 'wrong-ledger',
        issues: [
          { pointer: '/options/recipient/lookup_service/value', detail: expect.any(String) },
          { pointer: '/meta/ledger/ethereum', detail: expect.any(String) },
        ],
      }),
    );
  });

  it('effectiveOperation does not change the given GLO', () => {
    const glo = parseGlo(transfer);
    effectiveOperation(glo, ethereum);
    expect(glo).toEqual(parseGlo(transfer));
  });
});

describe('operationKey', () => {
  it('an operation key is sorted JSON with bigints as decimal strings', () => {
    expect(operationKey(effectiveOperation(parseGlo(transfer), ethereum).operation)).toBe(
      '{"amount":"10","native":{"content":{"gasLimit":"21000","nonce":"1"},"technology":"ethereum"},' +
        '"recipient":{"resource":"0xabc","technology":"ethereum","type":"ledger"},"type":"transfer"}',
    );
  });

  it('equal operations have equal keys, for any member order and quantity notation', () => {
    const other = {
      meta: {
        ledger: {
          ethereum: { native_transaction_content: { nonce: 1, gasLimit: '0x5208' }, version: '0.1.0' },
        },
      },
      options: {
        amount: 10,
        recipient: { resource: '0xabc', lookup_service: { value: 'ethereum', type: 'ledger' } },
      },
      type: 'transfer',
      version: '0.1.0',
    };
    const key = (input: unknown) => operationKey(effectiveOperation(parseGlo(input), ethereum).operation);
    expect(key(other)).toBe(key(transfer));
  });

  it('an operation key changes with every difference except undefined members', () => {
    const recipient = { type: 'service', resource: 'w' } as const;
    const native = { technology: 'ethereum', content: {} };
    const base = operationKey({ type: 'transfer', recipient, amount: 1n, native });
    const keys = [
      base,
      operationKey({ type: 'transfer', recipient, amount: 2n, native }),
      operationKey({ type: 'transfer', recipient, amount: 1n, data: '0x01', native }),
      operationKey({
        type: 'transfer',
        recipient,
        amount: 1n,
        native: { technology: 'ethereum', content: { nonce: '1' } },
      }),
      operationKey({ type: 'contract_call', contract: recipient, value: 1n, native }),
      operationKey({
        type: 'contract_call',
        contract: recipient,
        method: { name: 'a', args: ['b', 'c'] },
        value: 1n,
        native,
      }),
      operationKey({
        type: 'contract_call',
        contract: recipient,
        method: { name: 'a', args: ['b","c'] },
        value: 1n,
        native,
      }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('withoutSecrets keeps the names of transient data in the operation key, but not the values', () => {
    const native = {
      technology: 'hyperledger-fabric',
      content: { transient: { price: 'c2VjcmV0', note: 'aGlkZGVu' } },
    };
    const contract = { type: 'ledger', technology: 'hyperledger-fabric', resource: 'c/cc' } as const;
    const text = operationKey(
      withoutSecrets({ type: 'contract_call', contract, value: 0n, native }, hyperledgerFabric),
    );
    expect(text).toContain('"transient":{"note":"","price":""}');
    expect(text).not.toMatch(/c2VjcmV0|aGlkZGVu/);
    expect(native.content.transient.price).toBe('c2VjcmV0');
  });
});

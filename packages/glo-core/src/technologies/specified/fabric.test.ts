import fc from 'fast-check';
import { expect, it } from 'vitest';
import { effectiveOperation } from '../../effective.ts';
import { parseGlo } from '../../parse.ts';
import { hyperledgerFabric } from './fabric.ts';

const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
const optional = fc.option(part, { nil: undefined });
const lookups = {
  ledger: { type: 'ledger', value: 'hyperledger-fabric' },
  service: { type: 'service', value: 'service' },
};

function effective(type: keyof typeof lookups, resource: string, given: object) {
  const content = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const glo = parseGlo({
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: lookups[type], resource },
      method_name: 'Read',
      args: [],
    },
    meta: { ledger: { 'hyperledger-fabric': { version: '0.1.0', native_transaction_content: content } } },
  });
  const { operation, overrides } = effectiveOperation(glo, hyperledgerFabric);
  if (operation.type !== 'contract_call') throw new TypeError(operation.type);
  return { operation, overrides };
}

it('reads channel, chaincode and contract from meta, otherwise from the locator, and reports overrides', () => {
  fc.assert(
    fc.property(part, part, optional, optional, optional, optional, (channel, chaincode, name, ...meta) => {
      const resource = [channel, chaincode, ...(name === undefined ? [] : [name])].join('/');
      const [newChannel, newChaincode, newName] = meta;
      const { operation, overrides } = effective('ledger', resource, {
        channel: newChannel,
        chaincode: newChaincode,
        contract: newName,
      });
      const contract = newName ?? name;
      const expected = [
        newChannel ?? channel,
        newChaincode ?? chaincode,
        ...(contract === undefined ? [] : [contract]),
      ];
      expect(operation.contract.resource).toBe(expected.join('/'));
      const changed = operation.contract.resource !== resource;
      expect(overrides).toEqual(
        changed ? [{ field: 'contract_instance', from: resource, to: expected.join('/') }] : [],
      );
      expect(operation.native).toEqual({ technology: 'hyperledger-fabric', content: {} });
    }),
  );
});

it('meta overrides a registered contract only if it contains both channel and chaincode', () => {
  fc.assert(
    fc.property(part, optional, optional, optional, (id, channel, chaincode, contract) => {
      const { operation } = effective('service', id, { channel, chaincode, contract });
      const whole = channel !== undefined && chaincode !== undefined;
      expect(operation.contract.type).toBe(whole ? 'ledger' : 'service');
      const left = operation.native.content;
      const given = Object.entries({ channel, chaincode, contract }).filter(
        ([, value]) => value !== undefined,
      );
      expect(left).toEqual(whole ? {} : Object.fromEntries(given));
    }),
  );
});

it('keeps transient data and endorsing organizations in the native content, and the contract unchanged', () => {
  const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const names = fc.array(part, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(part, base64), { maxLength: 4 }), names, (entries, organizations) => {
      const transient = Object.fromEntries(entries.filter(([name]) => name !== '__proto__'));
      const { operation, overrides } = effective('ledger', 'channel/chaincode', {
        transient,
        endorsing_organizations: organizations,
      });
      expect(operation.native).toEqual({
        technology: 'hyperledger-fabric',
        content: { transient, endorsing_organizations: organizations },
      });
      expect([operation.contract.resource, overrides]).toEqual(['channel/chaincode', []]);
    }),
  );
});

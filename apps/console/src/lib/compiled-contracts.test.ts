import { expect, test } from 'vitest';
import { compiledContractsIn } from './compiled-contracts.ts';

const abi = [{ type: 'function', name: 'count', inputs: [], outputs: [] }];

test('reads contracts and interfaces from Standard JSON output', () => {
  const output = {
    contracts: {
      'Till.sol': { Till: { abi, evm: { bytecode: { object: '6001' } } } },
      'ITill.sol': { ITill: { abi, evm: { bytecode: { object: '' } } } },
    },
    sources: {},
  };
  expect(compiledContractsIn(JSON.stringify(output))).toEqual([
    { name: 'Till.sol:Till', abi, bytecode: '6001' },
    { name: 'ITill.sol:ITill', abi, bytecode: '' },
  ]);
});

test('reads contracts from combined JSON output', () => {
  const output = { contracts: { 'Till.sol:Till': { abi, bin: '6001' } }, version: '0.8.30' };
  expect(compiledContractsIn(JSON.stringify(output))).toEqual([
    { name: 'Till.sol:Till', abi, bytecode: '6001' },
  ]);
});

test.each([['{"abi":[]}'], ['{"contracts":null}'], ['null'], ['contract Till {}'], ['']])(
  'finds no contracts in %s',
  (text) => {
    expect(compiledContractsIn(text)).toEqual([]);
  },
);

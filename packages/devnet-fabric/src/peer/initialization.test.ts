import { peer } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { ChaincodeError } from '../chaincode/error.ts';
import type { Simulation } from '../ledger/simulation.ts';
import type { Definition } from '../system/definitions.ts';
import { initialization } from './initialization.ts';

const definitionOf = (initRequired: boolean): Definition => ({
  ...{ name: 'basic', version: '1.0', sequence: 1, initRequired, policy: undefined },
  parameters: new peer.lifecycle.CommitChaincodeDefinitionArgs(),
});

function emptySimulation(): Pick<Simulation, 'getState' | 'putState'> {
  const state = new Map<string, Uint8Array>();
  return {
    getState: (_namespace, key) => state.get(key),
    putState: (_namespace, key, value) => void state.set(key, value),
  };
}

test('a chaincode with initRequired is called with isInit once, before other calls', () => {
  const simulation = emptySimulation();
  const early = initialization(definitionOf(true), false, simulation);
  expect(early).toBe("chaincode 'basic' has not been initialized for this version, must call as init first");
  // The message is that of a peer of Fabric 2.5.16.
  expect(new ChaincodeError('invalid', 'ab', early ?? '').message).toBe(
    `failed to execute transaction ab: invalid invocation: ${early}`,
  );
  expect(initialization(definitionOf(true), true, simulation)).toBeUndefined();
  expect(initialization(definitionOf(true), false, simulation)).toBeUndefined();
  expect(initialization(definitionOf(true), true, simulation)).toContain('is already initialized');
  expect(initialization(definitionOf(false), true, simulation)).toContain('does not require initialization');
});

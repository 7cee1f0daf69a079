import type { AddressForm, ContractInterface, ContractMethod } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import type { Glo } from '@ledger-ops/glo-core';
import type { ContractRecord } from '@ledger-ops/registry';
import type { PointerMap } from '../../http/problems/pointers.ts';
import {
  argumentText,
  type ContractCallBody,
  gloOfContractCall,
  type Parameters,
  readParameters,
} from '../operations/alternative-body.ts';

/** Reads the methods of registered contracts, to order named arguments. */
export interface ContractArguments {
  /** Returns null if the contract does not exist or is not visible to the caller. */
  methods(principal: Principal, contractId: string): Promise<readonly ContractMethod[] | null>;
  /** Returns the interface of a contract. @throws Problem `no-plugin`, `plugin-fault` */
  interfaceOf(contract: ContractRecord): Promise<Pick<ContractInterface, 'methods' | 'eventNames'>>;
  /** Returns the address format of the ledger's accounts; undefined if the plugin does not declare it. */
  accountForm(contract: ContractRecord): Promise<AddressForm | undefined>;
}

/**
 * Converts a contract call `{contractId, method, params, options}` to a GLO.
 * @throws Problem with pointers into the request
 */
export async function contractCallRequest(
  contracts: Pick<ContractArguments, 'methods'>,
  principal: Principal,
  body: ContractCallBody,
): Promise<{ glo: Glo; pointers: PointerMap }> {
  const parameters = readParameters(body.params);
  if (parameters.kind === 'ordered') {
    const places = parameters.values.map((_, index) => `/params/${index}/value`);
    const args = parameters.values.map((value, index) => argumentText(value, places[index] ?? ''));
    return gloOfContractCall(body, args, places);
  }
  const methods = await contracts.methods(principal, body.contractId);
  // The runtime rejects an unknown contract when it resolves the contract.
  if (methods === null) return gloOfContractCall(body, [], []);
  const method = chooseMethod(methods, body.method, parameters.values);
  const inputs = method.inputs.map(
    ({ name }) => parameters.values.get(name) ?? { value: undefined, index: -1 },
  );
  const places = inputs.map(({ index }) => `/params/${index}/value`);
  const args = inputs.map(({ value }, at) => argumentText(value, places[at] ?? ''));
  return gloOfContractCall({ ...body, method: method.signature }, args, places);
}

function chooseMethod(
  methods: readonly ContractMethod[],
  wanted: string,
  given: Extract<Parameters, { kind: 'named' }>['values'],
): ContractMethod {
  const named = methods.filter(({ name, signature }) => name === wanted || signature === wanted);
  const fitting = named.filter(
    ({ inputs }) => inputs.length === given.size && inputs.every(({ name }) => given.has(name)),
  );
  const [method] = fitting;
  if (method !== undefined && fitting.length === 1) return method;
  if (fitting.length > 1) {
    const signatures = fitting.map(({ signature }) => signature).join(', ');
    throw invalidRequest([
      { pointer: '/method', detail: `several methods match; use one of the signatures ${signatures}` },
    ]);
  }
  if (named.length === 0) {
    throw invalidRequest([{ pointer: '/method', detail: 'is not a method of the contract' }]);
  }
  const expected = named.map(({ inputs }) => `(${inputs.map(({ name }) => name || 'unnamed').join(', ')})`);
  throw invalidRequest([
    {
      pointer: '/params',
      detail: `do not match the parameter names of the method: ${expected.join(' or ')}`,
    },
  ]);
}

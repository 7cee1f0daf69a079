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

/** Reads the methods of a registered contract, for arguments that are given by name. */
export interface ContractArguments {
  /** Null when there is no such contract that the caller may see. */
  methods(principal: Principal, contractId: string): Promise<readonly ContractMethod[] | null>;
  /** Of a contract that was found. @throws Problem `no-plugin`, `plugin-fault` */
  interfaceOf(contract: ContractRecord): Promise<Pick<ContractInterface, 'methods' | 'eventNames'>>;
  /** Of the accounts of its ledger; undefined where its plugin does not say. */
  accountForm(contract: ContractRecord): Promise<AddressForm | undefined>;
}

/** The alternative form of a contract call as a GLO. @throws Problem with pointers into the request */
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
  // A contract that is not found is refused where every contract is looked up.
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
      { pointer: '/method', detail: `several methods fit: name one by signature (${signatures})` },
    ]);
  }
  if (named.length === 0) {
    throw invalidRequest([{ pointer: '/method', detail: 'is no method of the contract' }]);
  }
  const expected = named.map(({ inputs }) => `(${inputs.map(({ name }) => name || 'unnamed').join(', ')})`);
  throw invalidRequest([
    { pointer: '/params', detail: `do not have the names of the method: ${expected.join(' or ')}` },
  ]);
}

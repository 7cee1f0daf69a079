import type { ContractSource, ResolvedOperation } from '@ledger-ops/adapter';
import {
  effectiveOperation,
  type Glo,
  GloError,
  type GloTechnology,
  type Operation,
  operationKey,
  parseGlo,
  withoutSecrets,
} from '@ledger-ops/glo-core';
import { refusal } from '../problem.ts';

/** The part of a request that says what is to be done. */
export interface OperationMessage {
  glo: unknown;
  contractInterface?: string | undefined;
  contractSource?: ContractSource | undefined;
}

/** An operation with a text that is the same for the same operation. */
export interface ReadOperation {
  operation: ResolvedOperation;
  key: string;
}

function parse(glo: unknown, technology: GloTechnology): Glo {
  try {
    return parseGlo(glo, { pointer: '/glo', target: technology.technology, technologies: [technology] });
  } catch (error) {
    if (error instanceof GloError) throw refusal('invalid-request', 400, error.message, error.issues);
    throw error;
  }
}

function serviceLocator(pointer: string) {
  const detail =
    'names something of the service, which a plugin does not know: give the address on the ledger';
  return refusal('invalid-request', 400, `${pointer} ${detail}.`, [{ pointer, detail }]);
}

/**
 * Reads what a request wants done.
 * @throws Refusal with status 400
 */
export function readOperation(message: OperationMessage, technology: GloTechnology): ReadOperation {
  const glo = parse(message.glo, technology);
  const { operation } = effectiveOperation(glo, technology);
  const key = JSON.stringify([
    operationKey(withoutSecrets(operation, technology)),
    message.contractInterface ?? null,
    message.contractSource ?? null,
  ]);
  const resolved = resolve(operation, message);
  const version = glo.meta?.[technology.technology]?.version;
  if (version === undefined) return { operation: resolved, key };
  return { operation: { ...resolved, native: { ...resolved.native, version } }, key };
}

function resolve(operation: Operation, message: OperationMessage): ResolvedOperation {
  switch (operation.type) {
    case 'transfer': {
      const { recipient, ...rest } = operation;
      if (recipient.type === 'service') throw serviceLocator('/glo/options/recipient');
      return { ...rest, recipient: recipient.resource };
    }
    case 'contract_call': {
      const { contract, ...rest } = operation;
      if (contract.type === 'service') throw serviceLocator('/glo/options/contract_instance');
      const known = message.contractInterface;
      const address = contract.resource;
      return { ...rest, contract: known === undefined ? { address } : { address, interface: known } };
    }
    case 'contract_deploy': {
      const { source, ...rest } = operation;
      const code = message.contractSource;
      if (source !== undefined && code === undefined) {
        const pointer = '/contractSource';
        const detail = 'is required for a deployment whose code is not in meta';
        throw refusal('invalid-request', 400, `${pointer} ${detail}.`, [{ pointer, detail }]);
      }
      return code === undefined ? rest : { ...rest, source: code };
    }
  }
}

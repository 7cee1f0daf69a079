import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import { type GloTechnology, withoutSecrets } from '@ledger-ops/glo-core';

/** An operation on a contract that another action still deploys: its plan is made when the address is known. */
export interface UnresolvedOperation {
  /** Action that deploys the contract. */
  deployedBy: string;
  /** With the contract's address still null. */
  operation: ResolvedOperation;
}

const marker = 'deferred';
const quantity = '$quantity';

/**
 * `plan` stands in place of one, and no adapter takes it for its own; `secret`, where the operation has something that
 * may not be stored in the clear, is all of its native content, to be kept sealed until then.
 */
export function unresolvedParts(
  { deployedBy, operation }: UnresolvedOperation,
  technology: GloTechnology,
): { plan: JsonObject; secret: JsonObject | undefined } {
  const shown = withoutSecrets(operation, technology);
  const text = JSON.stringify(shown, (_key, value: unknown) =>
    typeof value === 'bigint' ? { [quantity]: value.toString() } : value,
  );
  const secret = shown === operation ? undefined : { content: operation.native.content };
  return { plan: { [marker]: deployedBy, operation: JSON.parse(text) }, secret };
}

/** Null when it is an ordinary plan. */
export function readUnresolved(plan: JsonObject): UnresolvedOperation | null {
  const deployedBy = plan[marker];
  if (typeof deployedBy !== 'string') return null;
  // Written by `unresolvedParts`, and bound to the action by its grant.
  const operation = JSON.parse(JSON.stringify(plan.operation), (_key, value: unknown) =>
    isQuantity(value) ? BigInt(value[quantity]) : value,
  ) as ResolvedOperation;
  return { deployedBy, operation };
}

function isQuantity(value: unknown): value is { [quantity]: string } {
  return typeof value === 'object' && value !== null && quantity in value;
}

/** The operation with what was kept sealed. */
export function withSecret(operation: ResolvedOperation, secret: JsonObject | undefined): ResolvedOperation {
  if (secret === undefined) return operation;
  // Made by `unresolvedParts`, and bound to the action by its grant.
  return { ...operation, native: { ...operation.native, content: secret.content as JsonObject } };
}

/** The operation with the address that the deployment gave. */
export function withAddress(operation: ResolvedOperation, address: string): ResolvedOperation {
  if (operation.type !== 'contract_call') return operation;
  return { ...operation, contract: { ...operation.contract, address } };
}

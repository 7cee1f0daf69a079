import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import { type GloTechnology, withoutSecrets } from '@ledger-ops/glo-core';

/**
 * An operation on a contract that another action has not deployed yet. Its plan is created when the address is known.
 */
export interface UnresolvedOperation {
  deployedBy: string;
  /** The operation. The address of its contract is still null. */
  operation: ResolvedOperation;
}

const marker = 'deferred';
const quantity = '$quantity';

/**
 * Splits an operation into a placeholder plan and a secret to encrypt. No adapter accepts the placeholder as a plan.
 * The secret is the whole native content if some of it must not be stored in plain text, otherwise undefined.
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

/** Returns the unresolved operation of a placeholder plan; null for an ordinary plan. */
export function readUnresolved(plan: JsonObject): UnresolvedOperation | null {
  const deployedBy = plan[marker];
  if (typeof deployedBy !== 'string') return null;
  // `unresolvedParts` created this value, and the action's grant authenticates it.
  const operation = JSON.parse(JSON.stringify(plan.operation), (_key, value: unknown) =>
    isQuantity(value) ? BigInt(value[quantity]) : value,
  ) as ResolvedOperation;
  return { deployedBy, operation };
}

function isQuantity(value: unknown): value is { [quantity]: string } {
  return typeof value === 'object' && value !== null && quantity in value;
}

/** Restores the sealed content of an operation. */
export function withSecret(operation: ResolvedOperation, secret: JsonObject | undefined): ResolvedOperation {
  if (secret === undefined) return operation;
  // `unresolvedParts` created this value, and the action's grant authenticates it.
  return { ...operation, native: { ...operation.native, content: secret.content as JsonObject } };
}

/** Fills in the address of the deployed contract. */
export function withAddress(operation: ResolvedOperation, address: string): ResolvedOperation {
  if (operation.type !== 'contract_call') return operation;
  return { ...operation, contract: { ...operation.contract, address } };
}

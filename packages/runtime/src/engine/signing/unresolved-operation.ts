import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import { withoutSecrets } from '@ledger-ops/glo-core';

/** An operation on a contract that another action still deploys: its plan is made when the address is known. */
export interface UnresolvedOperation {
  /** Action that deploys the contract. */
  deployedBy: string;
  /** With the contract's address still null. */
  operation: ResolvedOperation;
}

const marker = 'deferred';
const quantity = '$quantity';

/** Stands in place of a plan. No adapter takes it for one of its own. */
export function unresolvedPlan({ deployedBy, operation }: UnresolvedOperation): JsonObject {
  const text = JSON.stringify(withoutSecrets(operation), (_key, value: unknown) =>
    typeof value === 'bigint' ? { [quantity]: value.toString() } : value,
  );
  return { [marker]: deployedBy, operation: JSON.parse(text) as JsonObject };
}

/** Null when it is an ordinary plan. */
export function readUnresolved(plan: JsonObject): UnresolvedOperation | null {
  const deployedBy = plan[marker];
  if (typeof deployedBy !== 'string') return null;
  // Written by `unresolvedPlan`, and bound to the action by its grant.
  const operation = JSON.parse(JSON.stringify(plan.operation), (_key, value: unknown) =>
    isQuantity(value) ? BigInt(value[quantity]) : value,
  ) as ResolvedOperation;
  return { deployedBy, operation };
}

function isQuantity(value: unknown): value is { [quantity]: string } {
  return typeof value === 'object' && value !== null && quantity in value;
}

/** The part of the operation that is kept sealed until then; undefined when there is none. */
export function unresolvedSecret({ native }: ResolvedOperation): JsonObject | undefined {
  if (native.technology !== 'hyperledger-fabric' || native.transient === undefined) return undefined;
  return { transient: native.transient };
}

/** The operation with what was kept sealed. */
export function withSecret(operation: ResolvedOperation, secret: JsonObject | undefined): ResolvedOperation {
  const { native } = operation;
  if (secret === undefined || native.technology !== 'hyperledger-fabric') return operation;
  // Made by `unresolvedSecret`, and bound to the action by its grant.
  return { ...operation, native: { ...native, transient: secret.transient as Record<string, string> } };
}

/** The operation with the address that the deployment gave. */
export function withAddress(operation: ResolvedOperation, address: string): ResolvedOperation {
  if (operation.type !== 'contract_call') return operation;
  return { ...operation, contract: { ...operation.contract, address } };
}

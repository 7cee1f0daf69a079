import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';

/** An operation on a contract that another action deploys: its plan is made when the address is known. */
export interface DeferredOperation {
  /** Action that deploys the contract. */
  deployedBy: string;
  /** With the contract's address still null. */
  operation: ResolvedOperation;
}

const marker = 'deferred';
const quantity = '$quantity';

/** What stands in place of a plan. No adapter takes it for one of its own. */
export function deferredPlan({ deployedBy, operation }: DeferredOperation): JsonObject {
  const text = JSON.stringify(operation, (_key, value: unknown) =>
    typeof value === 'bigint' ? { [quantity]: value.toString() } : value,
  );
  return { [marker]: deployedBy, operation: JSON.parse(text) as JsonObject };
}

/** Null when it is an ordinary plan. */
export function readDeferred(plan: JsonObject): DeferredOperation | null {
  const deployedBy = plan[marker];
  if (typeof deployedBy !== 'string') return null;
  // Written by `deferredPlan`, and bound to the action by its grant.
  const operation = JSON.parse(JSON.stringify(plan.operation), (_key, value: unknown) =>
    isQuantity(value) ? BigInt(value[quantity]) : value,
  ) as ResolvedOperation;
  return { deployedBy, operation };
}

function isQuantity(value: unknown): value is { [quantity]: string } {
  return typeof value === 'object' && value !== null && quantity in value;
}

/** The operation with the address that the deployment gave. */
export function withAddress(operation: ResolvedOperation, address: string): ResolvedOperation {
  if (operation.type !== 'contract_call') return operation;
  return { ...operation, contract: { ...operation.contract, address } };
}

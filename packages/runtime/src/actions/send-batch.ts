import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, uuidv7 } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import type { Traces } from '../traces/traces.ts';
import { sourceOf } from './deployments.ts';
import {
  type BatchOperations,
  contractPointer,
  type Deployment,
  deployingAction,
  refusedDependency,
} from './resolve.ts';
import { type Admitted, requestPlace, type Sender } from './send.ts';
import type { BatchRequest, BatchResult, SendRequest } from './types.ts';

type Operations = BatchRequest['operations'];

/** Maximum number of a batch's operations that are checked concurrently. */
const atOnce = 16;

export interface BatchSenderOptions {
  sender: Pick<Sender, 'admit'>;
  engine: Pick<Engine, 'acceptBatch'>;
  traces: Traces;
}

/** Accepts many operations in one transaction. */
export class BatchSender {
  readonly #options: BatchSenderOptions;

  constructor(options: BatchSenderOptions) {
    this.#options = options;
  }

  /**
   * Accepts the operations that pass the checks of {@link Sender.send}, in one transaction. `dependencies` may contain
   * names of operations in the batch as well as ids. If none of the results is `accepted`, nothing was stored.
   * @param answer builds the response, which is stored for the idempotency key
   * @throws Problem `invalid-request` if operations depend on each other in a circle
   */
  async sendBatch(
    principal: Principal,
    { operations, allOrNothing }: BatchRequest,
    answer: (results: readonly BatchResult[]) => object,
    claim?: IdempotencyClaim,
  ): Promise<readonly BatchResult[]> {
    const order = dependenciesFirst(operations);
    const admitted = await this.#admitAll(principal, operations, order);
    refuseDependents(operations, order, admitted);
    if (allOrNothing && admitted.some((one) => one instanceof Problem)) return admitted.map(withheld);

    const results = admitted.map(resultOf);
    const [first, ...others] = order.flatMap((index) => {
      const one = admitted[index];
      if (one === undefined || one instanceof Problem) return [];
      const { acceptance } = one;
      return [{ ...acceptance, action: { ...acceptance.action, request: requestPlace(claim, index + 1) } }];
    });
    if (first === undefined) return results;
    // Only one of the batch's actions stores the response to the batch.
    const kept = claim === undefined ? null : { claim, status: 201, body: JSON.stringify(answer(results)) };
    await this.#options.engine.acceptBatch([
      { ...first, action: { ...first.action, claim: kept } },
      ...others,
    ]);
    return results;
  }

  /** Checks the operations, `atOnce` at a time. An operation is checked after its dependencies. */
  async #admitAll(
    principal: Principal,
    operations: Operations,
    order: readonly number[],
  ): Promise<(Admitted | Problem)[]> {
    const ids = operations.map(() => uuidv7());
    /** Results by the index of the operation. */
    const admitting: Promise<Admitted | Problem>[] = [];
    const batch: BatchOperations = new Map(
      operations.flatMap(({ name }, at) => {
        if (name === null) return [];
        const id = ids[at] ?? '';
        const deployment = async () => deploymentOf(id, await admitting[at]);
        return [[name, { id, deployment }] as const];
      }),
    );
    for (let from = 0; from < order.length; from += atOnce) {
      for (const at of order.slice(from, from + atOnce)) {
        const operation = operations[at];
        if (operation !== undefined)
          admitting[at] = this.#admitOne(principal, operation.request, ids[at] ?? '', batch);
      }
      const settled = await Promise.allSettled(Object.values(admitting));
      const broken = settled.find((one) => one.status === 'rejected');
      if (broken === undefined) continue;
      for (const one of settled) if (one.status === 'fulfilled') discard(one.value);
      throw broken.reason;
    }
    return Promise.all(admitting);
  }

  async #admitOne(
    principal: Principal,
    request: SendRequest | Problem,
    id: string,
    batch: BatchOperations,
  ): Promise<Admitted | Problem> {
    if (request instanceof Problem) return request;
    const { sender, traces } = this.#options;
    try {
      return await traces.accepting(id, (action) => sender.admit(principal, request, action, batch));
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }
}

/** Returns the operations' indexes, ordered so that each comes after its dependencies. @throws Problem */
function dependenciesFirst(operations: Operations): number[] {
  const placeOf = placesByName(operations);
  const order: number[] = [];
  const state = operations.map((): 'new' | 'open' | 'done' => 'new');
  // Iterates instead of recursing, so that a chain of a thousand operations does not exhaust the stack.
  for (const start of operations.keys()) {
    const path = [start];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      if (state[at] === 'new') {
        state[at] = 'open';
        const needed = neededBy(operations[at], placeOf);
        const circle = needed.find(({ place }) => state[place] === 'open');
        if (circle !== undefined)
          throw inCircle(`/operations/${at}${circle.pointer}`, operations[circle.place]?.name ?? '');
        path.push(...needed.flatMap(({ place }) => (state[place] === 'new' ? [place] : [])));
      } else {
        if (state[at] === 'open') order.push(at);
        state[at] = 'done';
        path.pop();
      }
    }
  }
  return order;
}

function placesByName(operations: Operations): ReadonlyMap<string, number> {
  return new Map(operations.flatMap(({ name }, at) => (name === null ? [] : [[name, at] as const])));
}

/**
 * Returns the indexes of the operations that an operation depends on within the batch, each with its pointer in the
 * request.
 */
function neededBy(
  operation: Operations[number] | undefined,
  placeOf: ReadonlyMap<string, number>,
): { place: number; pointer: string }[] {
  if (operation === undefined || operation.request instanceof Problem) return [];
  const { glo, dependencies, pointers } = operation.request;
  const deploying = glo.type === 'contract_call' ? deployingAction(glo.options.contractInstance) : null;
  const named = [
    ...dependencies.map((name) => ({ name, pointer: pointers.dependencies })),
    ...(deploying === null ? [] : [{ name: deploying, pointer: contractPointer(pointers.glo) }]),
  ];
  return named.flatMap(({ name, pointer }) => {
    const place = placeOf.get(name);
    return place === undefined ? [] : [{ place, pointer }];
  });
}

function inCircle(pointer: string, name: string): Problem {
  return invalidRequest([{ pointer, detail: `depends on ${name}, which in turn depends on this operation` }]);
}

function refuseDependents(
  operations: Operations,
  order: readonly number[],
  found: (Admitted | Problem)[],
): void {
  const placeOf = placesByName(operations);
  for (const at of order) {
    const operation = operations[at];
    const one = found[at];
    if (operation === undefined || one === undefined || one instanceof Problem) continue;
    const cause = neededBy(operation, placeOf).find(({ place }) => found[place] instanceof Problem);
    if (cause === undefined) continue;
    discard(one);
    found[at] = refusedDependency(operations[cause.place]?.name ?? '', cause.pointer);
  }
}

function deploymentOf(actionId: string, one: Admitted | Problem | undefined): Deployment | null {
  if (one === undefined || one instanceof Problem) return null;
  const { walletUid, ledgerUid, ledgerId, operation } = one.acceptance.action;
  const source = sourceOf(operation);
  return { actionId, walletUid, ledgerUid, ledgerId, status: 'PENDING', contractAddress: null, source };
}

function discard(one: Admitted | Problem): void {
  if (!(one instanceof Problem)) one.acceptance.signer.destroy();
}

function withheld(one: Admitted | Problem): BatchResult {
  discard(one);
  return one instanceof Problem ? resultOf(one) : { outcome: 'withheld' };
}

function resultOf(one: Admitted | Problem): BatchResult {
  return one instanceof Problem
    ? { outcome: 'refused', problem: one }
    : { outcome: 'accepted', action: one.accepted };
}

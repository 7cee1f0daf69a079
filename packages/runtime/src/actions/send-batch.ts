import { invalidRequest, Problem } from '@ledger-ops/base';
import { uuidv7 } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import type { Traces } from '../traces/traces.ts';
import { sourceOf } from './deployments.ts';
import {
  contractPointer,
  type Deployment,
  deployingAction,
  refusedBeside,
  type Together,
} from './resolve.ts';
import type { Admit, Admitted } from './send.ts';
import type { Actions, BatchRequest, BatchResult } from './types.ts';

type Operations = BatchRequest['operations'];

/** Operations of a batch that are checked at the same time. */
const atOnce = 16;

/** Accepts many operations in one transaction. */
export function createBatchSender(
  admit: Admit,
  engine: Pick<Engine, 'acceptTogether'>,
  traces: Traces,
): Actions['sendBatch'] {
  return async (principal, { operations, allOrNothing }, answer, claim) => {
    const order = dependenciesFirst(operations);
    const ids = operations.map(() => uuidv7());
    /** By the operations' places; of each, those that it builds on are begun before it. */
    const admitting: Promise<Admitted | Problem>[] = [];
    const together: Together = new Map(
      operations.flatMap(({ name }, at) => {
        if (name === null) return [];
        const id = ids[at] ?? '';
        const deployment = async () => deploymentOf(id, await admitting[at]);
        return [[name, { id, deployment }] as const];
      }),
    );
    const admitOne = async ({ request }: Operations[number], at: number): Promise<Admitted | Problem> => {
      if (request instanceof Problem) return request;
      try {
        return await traces.accepting(ids[at] ?? '', (action) => admit(principal, request, action, together));
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    };

    for (let from = 0; from < order.length; from += atOnce) {
      const some = order.slice(from, from + atOnce);
      for (const at of some) {
        const operation = operations[at];
        if (operation !== undefined) admitting[at] = admitOne(operation, at);
      }
      const settled = await Promise.allSettled(Object.values(admitting));
      const broken = settled.find((one) => one.status === 'rejected');
      if (broken === undefined) continue;
      for (const one of settled) if (one.status === 'fulfilled') discard(one.value);
      throw broken.reason;
    }
    const found = await Promise.all(admitting);
    refuseDependents(operations, order, found);
    if (allOrNothing && found.some((one) => one instanceof Problem)) return found.map(withheld);

    const results = found.map(resultOf);
    const [first, ...others] = order.flatMap((index) => {
      const one = found[index];
      return one === undefined || one instanceof Problem ? [] : [one.acceptance];
    });
    if (first === undefined) return results;
    // The answer to the batch is kept once, with one of its actions.
    const kept = claim === undefined ? null : { claim, status: 201, body: JSON.stringify(answer(results)) };
    await engine.acceptTogether([{ ...first, action: { ...first.action, claim: kept } }, ...others]);
    return results;
  };
}

/** Places of the operations in an order in which each comes after those that it depends on. @throws Problem */
function dependenciesFirst(operations: Operations): number[] {
  const placeOf = placesByName(operations);
  const order: number[] = [];
  const state = operations.map((): 'new' | 'open' | 'done' => 'new');
  // A list in place of recursion: a chain of a thousand is no reason for a deep stack.
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

/** The operations of the batch that one builds on, and where it names them. */
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
  return invalidRequest([{ pointer, detail: `waits for ${name}, which waits for it` }]);
}

/** Operations that depend on a refused one are refused with it. */
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
    found[at] = refusedBeside(operations[cause.place]?.name ?? '', cause.pointer);
  }
}

function deploymentOf(actionId: string, one: Admitted | Problem | undefined): Deployment | null {
  if (one === undefined || one instanceof Problem) return null;
  const { walletUid, ledgerUid, ledgerId, operation } = one.acceptance.action;
  const source = sourceOf(operation);
  return { actionId, walletUid, ledgerUid, ledgerId, status: 'PENDING', contractAddress: null, source };
}

function discard(one: Admitted | Problem): void {
  if (!(one instanceof Problem)) one.acceptance.key.destroy();
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

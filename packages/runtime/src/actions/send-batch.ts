import { invalidRequest, Problem } from '@ledger-ops/base';
import { uuidv7 } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import type { Traces } from '../traces/traces.ts';
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
    const together = new Map(
      operations.flatMap(({ name }, index) => (name === null ? [] : [[name, ids[index] ?? ''] as const])),
    );
    const admitOne = async ({ request }: Operations[number], index: number): Promise<Admitted | Problem> => {
      if (request instanceof Problem) return request;
      try {
        return await traces.accepting(ids[index] ?? '', (action) =>
          admit(principal, request, action, together),
        );
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    };

    const found: (Admitted | Problem)[] = [];
    try {
      for (let at = 0; at < operations.length; at += atOnce) {
        const some = operations.slice(at, at + atOnce);
        const settled = await Promise.allSettled(some.map((one, index) => admitOne(one, at + index)));
        for (const one of settled) if (one.status === 'fulfilled') found.push(one.value);
        const broken = settled.find((one) => one.status === 'rejected');
        if (broken !== undefined) throw broken.reason;
      }
    } catch (error) {
      for (const one of found) discard(one);
      throw error;
    }
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
        const before = placesBefore(operations[at], placeOf);
        const circle = before.find((place) => state[place] === 'open');
        if (circle !== undefined) throw inCircle(at, operations[circle]?.name ?? '');
        path.push(...before.filter((place) => state[place] === 'new'));
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

function placesBefore(
  operation: Operations[number] | undefined,
  placeOf: ReadonlyMap<string, number>,
): number[] {
  if (operation === undefined || operation.request instanceof Problem) return [];
  return operation.request.dependencies.flatMap((name) => placeOf.get(name) ?? []);
}

function inCircle(at: number, name: string): Problem {
  const detail = `waits for ${name}, which waits for it`;
  return invalidRequest([{ pointer: `/operations/${at}/dependencies`, detail }]);
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
    const cause = placesBefore(operation, placeOf).find((place) => found[place] instanceof Problem);
    if (cause === undefined) continue;
    discard(one);
    const detail = `${operations[cause]?.name ?? ''}, on which it depends, was refused`;
    const pointer = '/dependencies';
    const errors = [{ pointer, detail }];
    found[at] = new Problem('unknown-dependency', `${pointer}: ${detail}`, { errors });
  }
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

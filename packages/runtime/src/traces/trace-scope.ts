import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestResult } from '@ledger-ops/adapter';
import { type Traced, traceparentOf } from './trace-context.ts';
import type { OpenSpan } from './tracer.ts';

/** A request of a plugin to a node, as the plugin tells of it when it has ended. */
export interface NodeRequest {
  readonly ledgerId: string;
  /** As the ledger's protocol names it. */
  readonly method: string;
  readonly result: RequestResult;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** The trace that a piece of work belongs to. What was begun within it and outlives it belongs to none. */
export interface TraceScope {
  /** W3C trace context that its requests to others carry. */
  readonly traceparent?: (() => string) | undefined;
  /** Trace context of the recorded span in which its requests to nodes are shown. */
  readonly shownIn?: string | undefined;
  /** Its requests to nodes, where it is not known yet whom they are for. */
  readonly gathered?: NodeRequest[];
}

const scopes = new AsyncLocalStorage<{ readonly scope: TraceScope; isOpen: boolean }>();

/** Of the work under way. */
export function currentScope(): TraceScope | undefined {
  const current = scopes.getStore();
  return current?.isOpen === true ? current.scope : undefined;
}

/** The W3C trace context of the work under way; undefined: it has none. */
export function currentTraceparent(): string | undefined {
  return currentScope()?.traceparent?.();
}

export async function inScope<Result>(scope: TraceScope, work: () => Promise<Result>): Promise<Result> {
  const own = { scope, isOpen: true };
  try {
    return await scopes.run(own, work);
  } finally {
    own.isOpen = false;
  }
}

/** Does work whose requests to others carry a trace context. */
export function withTraceparent<Result>(traceparent: string, work: () => Promise<Result>): Promise<Result> {
  return inScope({ traceparent: () => traceparent }, work);
}

/** Does work in a span: its requests to others carry it, and those to nodes are shown in it. */
export function withSpan<Result>(
  { traceparent, isRecorded }: Pick<OpenSpan, 'traceparent' | 'isRecorded'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return inScope({ traceparent: () => traceparent, shownIn: isRecorded ? traceparent : undefined }, work);
}

/** Does work for actions: in the trace of the only one, and in none where there are several. */
export function workFor<Result>(
  actions: readonly (Traced | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [only] = actions.length === 1 ? actions : [];
  return inScope(only === undefined ? {} : { traceparent: () => traceparentOf(only) }, work);
}

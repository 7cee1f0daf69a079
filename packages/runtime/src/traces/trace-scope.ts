import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestResult } from '@ledger-ops/adapter';
import { type Traced, traceparentOf } from './trace-context.ts';
import type { OpenSpan } from './tracer.ts';

/** A completed request from a plugin to a node. */
export interface NodeRequest {
  readonly ledgerId: string;
  /** Method name in the ledger's protocol. */
  readonly method: string;
  readonly result: RequestResult;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** The trace of some work. It does not extend to background work that continues after this work. */
export interface TraceScope {
  /** W3C trace context for outgoing requests. */
  readonly traceparent?: (() => string) | undefined;
  /** Trace context of the recorded span in which requests to nodes appear. */
  readonly shownIn?: string | undefined;
  /** Collects requests to nodes until the actions for which they were made are known. */
  readonly gathered?: NodeRequest[];
}

const scopes = new AsyncLocalStorage<{ readonly scope: TraceScope; isOpen: boolean }>();

/** Returns the scope of the current work. */
export function currentScope(): TraceScope | undefined {
  const current = scopes.getStore();
  return current?.isOpen === true ? current.scope : undefined;
}

/** Returns the W3C trace context of the current work; undefined if there is none. */
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

/** Runs work. Its outgoing requests carry the given trace context. */
export function withTraceparent<Result>(traceparent: string, work: () => Promise<Result>): Promise<Result> {
  return inScope({ traceparent: () => traceparent }, work);
}

/** Runs work in a span: outgoing requests carry its context, and requests to nodes appear in it. */
export function withSpan<Result>(
  { traceparent, isRecorded }: Pick<OpenSpan, 'traceparent' | 'isRecorded'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return inScope({ traceparent: () => traceparent, shownIn: isRecorded ? traceparent : undefined }, work);
}

/** Runs work in the trace of its action. Work for several actions has no trace. */
export function workFor<Result>(
  actions: readonly (Traced | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [only] = actions.length === 1 ? actions : [];
  return inScope(only === undefined ? {} : { traceparent: () => traceparentOf(only) }, work);
}

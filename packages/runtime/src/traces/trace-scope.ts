import { AsyncLocalStorage } from 'node:async_hooks';
import { type Traced, traceparentOf } from './trace-context.ts';

/** Made for a piece of work: what was begun within it and outlives it carries its trace no more. */
interface Scope {
  /** Undefined: the work is for nobody in particular. */
  readonly traceparent: (() => string) | undefined;
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** The W3C trace context of the work under way; undefined: it has none. */
export function currentTraceparent(): string | undefined {
  const scope = scopes.getStore();
  return scope?.isOpen === true ? scope.traceparent?.() : undefined;
}

/** Does work whose requests to others carry a trace context. */
export function withTraceparent<Result>(traceparent: string, work: () => Promise<Result>): Promise<Result> {
  return within(() => traceparent, work);
}

/** Does work for actions: in the trace of the only one, and in none where there are several. */
export function workFor<Result>(
  actions: readonly (Traced | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [only] = actions.length === 1 ? actions : [];
  return within(only && (() => traceparentOf(only)), work);
}

async function within<Result>(
  traceparent: Scope['traceparent'],
  work: () => Promise<Result>,
): Promise<Result> {
  const scope = { traceparent, isOpen: true };
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

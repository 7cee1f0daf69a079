import { readTraceparent, type Tracer, withSpan, withTraceparent } from '@ledger-ops/runtime';
import type { Route } from '../route.ts';
import { type AppContext, headerOf } from './request-head.ts';

/** A request as a part of its caller's trace. */
export interface RequestTrace {
  /** Does its work: what that asks of others carries the trace. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  end(status: number): void;
}

/** Asked every few seconds by whoever watches the server. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Takes the trace that the caller gives, and begins a span where somebody records traces. */
export function traceRequest(tracer: Tracer | undefined, route: Route, context: AppContext): RequestTrace {
  const given = readTraceparent(headerOf(context, 'traceparent'));
  if (tracer === undefined || probes.has(route.path))
    return given === undefined ? untraced : { run: (work) => withTraceparent(given, work), end() {} };
  const method = route.method.toUpperCase();
  const span = tracer.begin({
    name: `${method} ${route.path}`,
    kind: 'server',
    parent: given,
    attributes: { 'http.request.method': method, 'http.route': route.path },
  });
  return {
    run: (work) => withSpan(span, work),
    end: (status) =>
      span.end(status >= 500 ? String(status) : undefined, { 'http.response.status_code': status }),
  };
}

const untraced: RequestTrace = { run: (work) => work(), end() {} };

import { readTraceparent, type Tracer, withSpan, withTraceparent } from '@ledger-ops/runtime';
import type { Route } from '../route.ts';
import { type AppContext, headerOf } from './request-head.ts';

export interface RequestTrace {
  /** Runs the request's work; its outgoing requests carry the trace context. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  end(status: number): void;
}

/** Health probes: monitoring requests them every few seconds, so they have no spans. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/readyz/server']);

/** Continues the caller's trace, and starts a span if traces are recorded. */
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

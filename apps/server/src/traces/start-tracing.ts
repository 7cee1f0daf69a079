import type { Tracer } from '@ledger-ops/runtime';
import type { ServerLog } from '../logging/logger.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { TraceSettings } from '../settings/traces.ts';

/** Milliseconds between two lines about spans that were lost. */
const saidEvery = 60_000;

/** Spans on their way to a collector. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left, for a short time. */
  close(): Promise<void>;
}

/** Records traces where settings say where to. OpenTelemetry is loaded only then. */
export async function startTracing(
  settings: TraceSettings | undefined,
  { log, metrics, now }: { log: ServerLog['log']; metrics: Metrics | undefined; now: () => number },
): Promise<Tracing | undefined> {
  if (settings === undefined) return undefined;
  const { openTracer } = await import('./open-tracer.ts');
  let lost = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  const count = (result: 'exported' | 'dropped', spans: number) =>
    metrics?.instruments.add('ledger_ops_spans_total', { result }, spans);
  return openTracer({
    settings,
    exported: (spans) => count('exported', spans),
    dropped(spans, why) {
      count('dropped', spans);
      lost += spans;
      if (now() - saidAt < saidEvery) return;
      log('warn', 'spans lost', { spans: lost, why });
      lost = 0;
      saidAt = now();
    },
  });
}

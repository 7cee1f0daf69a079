import type { Tracer } from '@ledger-ops/runtime';
import type { ServerLog } from '../logging/logger.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { TraceSettings } from '../settings/traces.ts';

/** Milliseconds between two log lines about lost spans. */
const logIntervalMs = 60_000;

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the remaining spans, within a short time. */
  close(): Promise<void>;
}

/** Records traces if the settings name a collector. Without one, OpenTelemetry is not loaded. */
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
      if (now() - saidAt < logIntervalMs) return;
      log('warn', 'spans lost', { spans: lost, why });
      lost = 0;
      saidAt = now();
    },
  });
}

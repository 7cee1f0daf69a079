import type { Tracer } from '@ledger-ops/runtime';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { readPairs, type TraceSettings } from '../settings/traces.ts';
import { version } from '../version.ts';

/** Maximum number of spans that wait to be sent. */
const mostWaiting = 4_096;
const sentTogether = 512;
/** Milliseconds for which spans are collected before they are sent. If the process is killed, these spans are lost. */
const delay = 1_000;
/** Time limit of a request to the collector, in milliseconds. */
const patience = 10_000;
/** Time limit for sending the remaining spans when the server stops, in milliseconds. */
const patienceAtEnd = 2_000;

/** Callbacks about exported spans. */
export interface TracerOptions {
  readonly settings: TraceSettings;
  exported(spans: number): void;
  /**
   * Spans were dropped, because too many were waiting or the collector refused them. `why` is an HTTP status
   * or an error code.
   */
  dropped(spans: number, why: string): void;
}

/** Sends spans to a collector in the background. Refused spans are dropped. */
export function openTracer({ settings, exported, dropped }: TracerOptions): {
  tracer: Tracer;
  close(): Promise<void>;
} {
  const sender = new OTLPTraceExporter({
    url: settings.url,
    timeoutMillis: patience,
    ...(settings.headers === undefined ? {} : { headers: readPairs(settings.headers.reveal()) ?? {} }),
  });
  let waiting = 0;
  const exporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      sender.export(spans, (result) => {
        if (result.error === undefined) exported(spans.length);
        else dropped(spans.length, whyOf(result.error));
        done(result);
      });
    },
    shutdown: () => sender.shutdown(),
  };
  const inner = new BatchSpanProcessor({
    exporter,
    maxQueueSize: mostWaiting,
    maxExportBatchSize: sentTogether,
    scheduledDelayMillis: delay,
    exportTimeoutMillis: 2 * patience,
  });
  const bounded: SpanProcessor = {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting >= mostWaiting) {
        dropped(1, 'queue-full');
        return;
      }
      waiting += 1;
      inner.onEnd(span);
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...settings.resource, 'service.version': version }),
    sampler: samplerOf(settings),
    spanProcessors: [bounded],
  });
  return {
    tracer: tracerOn(provider),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceAtEnd);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

function tracerOn(provider: TracerProvider): Tracer {
  const drawn = provider.getTracer('ledger-ops', version);
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };
  return {
    begin({ name, kind, parent, at, attributes, link }) {
      const span = drawn.startSpan(
        name,
        {
          kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
          attributes,
          ...(at === undefined ? {} : { startTime: at }),
          ...(link === undefined ? {} : { links: [{ context: spanContextOf(link) }] }),
        },
        parent === undefined ? ROOT_CONTEXT : contextOf(parent),
      );
      const isRecorded = span.isRecording();
      return {
        isRecorded,
        traceparent: isRecorded || parent === undefined ? traceparentOf(span) : parent,
        end(failure, more, end) {
          if (more !== undefined) span.setAttributes(more);
          if (failure !== undefined) {
            span.setAttribute('error.type', failure);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end(end);
        },
      };
    },
  };
}

function contextOf(traceparent: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(traceparent));
}

function spanContextOf(traceparent: string) {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const isByParent = sampler.startsWith('parentbased_');
  const named = sampler.replace('parentbased_', '');
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[named];
  const own = root?.() ?? new AlwaysOnSampler();
  return isByParent ? new ParentBasedSampler({ root: own }) : own;
}

/** Returns an HTTP status or an error code, never the message, which may contain the collector's address. */
function whyOf(error: Error): string {
  return 'code' in error && (typeof error.code === 'number' || typeof error.code === 'string')
    ? String(error.code)
    : 'failed';
}

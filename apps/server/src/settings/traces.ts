import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';

/** Samplers, by their OpenTelemetry names. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Schema of name-value pairs: `name=value,other=value`, percent-encoded. */
export const pairs = z
  .string('must be text')
  .refine((value) => readPairs(value) !== undefined, 'must be name=value,name=value, percent-encoded');

/** Schema of a ratio. */
export const ratio = z
  .union([z.number(), z.string().min(1).transform(Number)], 'must be a number from 0 to 1')
  .refine((value) => value >= 0 && value <= 1, 'must be a number from 0 to 1');

/** Destination and sampling of spans. */
export interface TraceSettings {
  /** OTLP/HTTP URL, including the path. */
  readonly url: string;
  /** Headers of each request, as name-value pairs. */
  readonly headers: Secret | undefined;
  /** Attributes of all spans, including the service name. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** Ratio of recorded traces, for samplers that use it. */
  readonly ratio: number;
}

/** Combines the settings; undefined if no collector is set or tracing is disabled. */
export function tracesOf(values: {
  OTEL_SDK_DISABLED: 'true' | 'false';
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  OTEL_SERVICE_NAME: string;
  OTEL_RESOURCE_ATTRIBUTES?: string | undefined;
  OTEL_TRACES_SAMPLER: (typeof samplers)[number];
  OTEL_TRACES_SAMPLER_ARG: number;
}): TraceSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = values;
  const url = own ?? (base === undefined ? undefined : `${base}/v1/traces`);
  if (url === undefined || values.OTEL_SDK_DISABLED === 'true') return undefined;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = values;
  return {
    url,
    headers: headers === undefined ? undefined : new Secret(headers),
    resource: {
      ...readPairs(values.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      'service.name': values.OTEL_SERVICE_NAME,
    },
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Parses name-value pairs; undefined if they are malformed. */
export function readPairs(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    try {
      found[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return found;
}

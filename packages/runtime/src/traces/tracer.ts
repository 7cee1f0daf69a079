/**
 * Creates spans. It is called on hot paths, so it must neither wait nor throw. Attributes contain ids and codes, never
 * strings from callers, plugins or nodes, and no node addresses.
 */
export interface Tracer {
  begin(span: SpanStart): OpenSpan;
}

export interface SpanStart {
  readonly name: string;
  /** `server` if the span handles a request, `client` if it waits for a response. Default: neither. */
  readonly kind?: 'server' | 'client';
  /** W3C trace context of the parent; undefined starts a new trace. */
  readonly parent: string | undefined;
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number;
  readonly attributes: SpanAttributes;
  /** W3C trace context of a span with more details. */
  readonly link?: string | undefined;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface OpenSpan {
  /** The span's W3C trace context; if the span is not recorded, the parent's. */
  readonly traceparent: string;
  /** Whether the span is exported. */
  readonly isRecorded: boolean;
  /**
   * @param failure error code; undefined means success
   * @param at milliseconds since the epoch. Default: now
   */
  end(failure?: string, attributes?: SpanAttributes, at?: number): void;
}

/**
 * Draws spans, for whoever records traces. Called on hot paths: it neither waits nor throws. Attributes hold ids and
 * codes, never what callers, plugins or nodes write, nor addresses of nodes.
 */
export interface Tracer {
  begin(span: SpanStart): OpenSpan;
}

/** A piece of work that begins. */
export interface SpanStart {
  readonly name: string;
  /** `server`: answers somebody. `client`: waits for an answer of somebody. Default: neither. */
  readonly kind?: 'server' | 'client';
  /** W3C trace context that it belongs to; undefined: a new trace begins. */
  readonly parent: string | undefined;
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number;
  readonly attributes: SpanAttributes;
  /** W3C trace context of a span that shows more of the same. */
  readonly link?: string | undefined;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span that has begun. */
export interface OpenSpan {
  /** Its W3C trace context; where it is not recorded, that which it belongs to. */
  readonly traceparent: string;
  /** Somebody will see it. */
  readonly isRecorded: boolean;
  /**
   * @param failure a code; undefined: it went well
   * @param at milliseconds since the epoch. Default: now
   */
  end(failure?: string, attributes?: SpanAttributes, at?: number): void;
}

/** A request, as far as it is known when it is answered. Route templates, never URLs; never bodies. */
export interface AccessRecord {
  readonly requestId: string;
  readonly method: string;
  /** Route template, or null when no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Milliseconds until the answer was ready. */
  readonly ms: number;
  readonly appId: string | undefined;
  /** Name of the problem answered. */
  readonly problem: string | undefined;
  /** Of an unexpected failure: never part of an answer. */
  readonly error: unknown;
}

/** Where records go. */
export type AccessLog = (record: AccessRecord) => void;

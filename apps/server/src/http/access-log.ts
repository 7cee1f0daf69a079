/** Log record of a request, written when the response is ready. It contains route templates, never URLs or bodies. */
export interface AccessRecord {
  readonly requestId: string;
  readonly method: string;
  /** Route template, or null when no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Milliseconds until the response was ready. */
  readonly ms: number;
  readonly appId: string | undefined;
  /** Name of the returned problem. */
  readonly problem: string | undefined;
  /** The error behind an unexpected failure; never part of a response. */
  readonly error: unknown;
}

export type AccessLog = (record: AccessRecord) => void;

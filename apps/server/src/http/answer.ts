/** A handler's answer: JSON, unless `raw` is given. */
export interface Answer {
  readonly status: number;
  /** Becomes JSON. Absent: no body. */
  readonly body?: unknown;
  /** A body of another kind, with its own Content-Type in `headers`. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 200 with a JSON body. */
export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}

/** 201 with a JSON body. `location`: path of the record that was created. */
export function created(body: unknown, location?: string): Answer {
  return { status: 201, body, ...(location === undefined ? {} : { headers: { Location: location } }) };
}

/** 204. */
export const noContent: Answer = { status: 204 };

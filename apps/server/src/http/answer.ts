/** A handler's response: JSON, unless `raw` is given. */
export interface Answer {
  readonly status: number;
  /** Serialized to JSON. If absent, the response has no body. */
  readonly body?: unknown;
  /** A body of another media type; `headers` contains its Content-Type. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a response with status 200 and a JSON body. */
export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}

/** Returns a response with status 201 and a JSON body. `location`: path of the created record. */
export function created(body: unknown, location?: string): Answer {
  return { status: 201, body, ...(location === undefined ? {} : { headers: { Location: location } }) };
}

export const noContent: Answer = { status: 204 };

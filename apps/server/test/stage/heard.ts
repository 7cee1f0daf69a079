/** A response that a test received. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly body: Promise<string>;
}

let heard: Heard[] = [];

/** Records a response, to be validated at the end of the test. */
export function hear(method: string, url: string, response: Response): void {
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const isRead = /json$/.test(type) && response.body !== null;
  // An aborted body is not counted as a response.
  const body = isRead
    ? response
        .clone()
        .text()
        .catch(() => '')
    : Promise.resolve('');
  heard.push({
    method,
    path: new URL(url, 'http://ledger.test').pathname,
    status: response.status,
    type,
    body,
  });
}

/** Responses since the last call. */
export function takeHeard(): Heard[] {
  const taken = heard;
  heard = [];
  return taken;
}

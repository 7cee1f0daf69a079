/** An answer that a test got. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly body: Promise<string>;
}

let heard: Heard[] = [];

/** Takes an answer; it is looked at when the test is over. */
export function hear(method: string, url: string, response: Response): void {
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const isRead = /json$/.test(type) && response.body !== null;
  // A body that breaks off is no answer.
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

/** Answers since the last call. */
export function takeHeard(): Heard[] {
  const taken = heard;
  heard = [];
  return taken;
}

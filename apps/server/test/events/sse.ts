export interface ServerSentEvent<Data> {
  id: string;
  event: string;
  data: Data;
}

/**
 * Follows an event stream over HTTP; `close` ends it, if the server does not. @throws if the response is not a stream
 */
export async function followStream<Data>(
  url: string,
  headers: Record<string, string>,
): Promise<{ events: ServerSentEvent<Data>[]; ended: Promise<void>; close(): Promise<void> }> {
  const over = new AbortController();
  const response = await fetch(url, { headers, signal: over.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const events: ServerSentEvent<Data>[] = [];
  const done = (async () => {
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('id') === '') continue;
        events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Data });
      }
    }
  })().catch(() => {});
  return {
    events,
    ended: done,
    async close() {
      over.abort();
      await done;
    },
  };
}

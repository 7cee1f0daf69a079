import type { Dispatcher } from 'undici';

export interface ActionEvent {
  actionId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  txId: string | null;
  problem?: { detail: string };
}

/** An open stream of server-sent events. */
export interface ActionEvents {
  /** Resolves when the action is final. Rejects if the stream ends first. */
  final(actionId: string): Promise<ActionEvent>;
  close(): void;
}

/** Opens the event stream of an intent. Resolves when the stream is open. */
export async function followIntent(
  server: Dispatcher,
  headers: Record<string, string>,
  intent: string,
): Promise<ActionEvents> {
  const over = new AbortController();
  const response = await server.request({
    method: 'GET',
    path: `/v1/ledger-ops/events?intent=${intent}`,
    headers: { ...headers, Accept: 'text/event-stream' },
    signal: over.signal,
    bodyTimeout: 60_000,
  });
  if (response.statusCode !== 200)
    throw new Error(`The event stream could not be opened: ${response.statusCode}`);
  const waiting = new Map<string, (event: ActionEvent) => void>();
  const early = new Map<string, ActionEvent>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // Prevents an unhandled rejection. Callers of `final` receive the error.
  broken.catch(() => undefined);

  function take(event: ActionEvent): void {
    if (event.status === 'PENDING') return;
    const resolve = waiting.get(event.actionId);
    if (resolve === undefined) early.set(event.actionId, event);
    else resolve(event);
    waiting.delete(event.actionId);
  }

  async function read(): Promise<void> {
    let rest = '';
    for await (const chunk of response.body.setEncoding('utf8')) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        // The events come from the server under test.
        if (data !== undefined) take(JSON.parse(data) as ActionEvent);
      }
    }
    throw new Error('The event stream ended.');
  }
  read().catch(reject);

  return {
    final(actionId) {
      const event = early.get(actionId);
      early.delete(actionId);
      if (event !== undefined) return Promise.resolve(event);
      return Promise.race([
        broken,
        new Promise<ActionEvent>((resolve) => {
          waiting.set(actionId, resolve);
        }),
      ]);
    },
    close: () => over.abort(),
  };
}

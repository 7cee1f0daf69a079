import { expect, test } from 'vitest';
import { createClient } from '../src/index.ts';
import { json } from './fake-service.ts';

/**
 * Creates a service that completes actions on request. Its status requests are pending until `answer` is
 * called.
 */
function openService() {
  const ended = new Set<string>();
  const searches: string[][] = [];
  let waiting: (() => void)[] = [];
  let tell: (chunk: string) => void = () => {};
  const ledger = createClient({
    ...{ baseUrl: 'https://ledger.test', applicationToken: 'app-token' },
    credentials: { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
    timing: { look: [60_000, 60_000], lookBesideStream: 60_000 },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/v1/auth/token') return json({ access_token: 't', expires_in: 300 });
      if (pathname === '/v1/events') {
        const body = new ReadableStream({
          start(controller) {
            tell = (chunk) => controller.enqueue(new TextEncoder().encode(chunk));
            request.signal.addEventListener('abort', () => controller.error(request.signal.reason));
          },
        });
        return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
      }
      const { actionIds }: { actionIds: string[] } = JSON.parse(await request.text());
      searches.push(actionIds);
      const found = actionIds.map((actionId) => ({
        ...{ actionId, status: ended.has(actionId) ? 'SUCCEEDED' : 'PENDING' },
      }));
      await new Promise<void>((resolve) => waiting.push(resolve));
      return json(found);
    },
  });
  return {
    ...{ ledger, searches },
    end(actionIds: readonly string[]) {
      for (const actionId of actionIds) {
        ended.add(actionId);
        const event = { type: 'action.succeeded', data: { actionId } };
        tell(`event: event\nid: ${actionId}\ndata: ${JSON.stringify(event)}\n\n`);
      }
    },
    answer() {
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}

test('actions whose events arrive during a status request are read with few further requests', async () => {
  const { ledger, searches, end, answer } = openService();
  const ids = Array.from({ length: 50 }, (_, n) => `a${n}`);
  let isOver = false;
  const all = Promise.all(ids.map((id) => ledger.waitFor(id))).finally(() => {
    isOver = true;
  });
  // The first status request is sent when the stream opens.
  await expect.poll(() => searches.length).toBe(1);
  answer();
  end([...ids, 'of somebody else']);
  const answering = () => {
    answer();
    return isOver;
  };
  await expect.poll(answering, { timeout: 30_000, interval: 5 }).toBe(true);
  expect((await all).map(({ actionId }) => actionId)).toEqual(ids);
  expect(searches.slice(1).flat()).toEqual(ids);
  expect(searches.length).toBeLessThan(10);
});

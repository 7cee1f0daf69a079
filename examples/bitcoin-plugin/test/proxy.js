// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Starts a node that forwards calls to another one, except for the methods in `answers`.
 * @param {string} url of the other node
 * @param {Record<string, { result: unknown } | { error: { code: number, message: string } }>} answers
 */
export async function openProxy(url, answers) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { id, method } = JSON.parse(body);
    const own = answers[method];
    if (own !== undefined) {
      response.end(JSON.stringify({ result: null, error: null, ...own, id }));
      return;
    }
    const answer = await fetch(url, { method: 'POST', body });
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

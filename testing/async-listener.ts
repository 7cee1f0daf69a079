import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * Turns an asynchronous function into a request listener. If the function fails before the whole request has arrived, for
 * example because the client disconnected, its connection is closed. A later error stays unhandled, which fails the test.
 */
export function asyncListener(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (request.complete) throw error;
      response.destroy();
    });
  };
}

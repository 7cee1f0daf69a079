import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * Turns an asynchronous function into a request listener. If the client disconnects before its whole request arrived, only
 * this request ends. Any other error stays unhandled, and so fails the test.
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

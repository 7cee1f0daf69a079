import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@ledger-ops/base';

/** Returns the headers of a problem document that is sent before the request reaches the application. */
export function bareHeaders(problem: Problem): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(problem.retryAfter === undefined ? {} : { 'Retry-After': String(problem.retryAfter) }),
  };
}

/** Writes a problem document to a socket without a request to respond to, and closes the connection. */
export function writeProblem(socket: Socket, problem: Problem, more: Record<string, string> = {}): void {
  const body = JSON.stringify(problem.toDocument());
  const headers = {
    ...bareHeaders(problem),
    ...more,
    Date: new Date().toUTCString(),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Maximum bytes of a request line and headers, and maximum number of headers. */
export const headLimits = { bytes: 16_384, headers: 100 };

/** Returns the problem of a request head that is too large. */
export function headTooLarge(): Problem {
  return new Problem(
    'head-too-large',
    `The request line (with its query) and headers are larger than ${headLimits.bytes} bytes, or there are more than ${headLimits.headers} headers. Send long data in the body: search operations also accept ids in the body.`,
  );
}

/** Converts an HTTP parser error code to a problem. */
export function problemOfParser(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('payload-too-large', 'The extensions of a body chunk are too long.');
    case 'HPE_SHORT_CHUNKS':
      return new Problem(
        'payload-too-large',
        'The body has too many chunks of only a few bytes. Send larger chunks, or the body with a Content-Length.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not complete in time. Send it again.');
    case 'HPE_INVALID_METHOD':
      return new Problem(
        'invalid-request',
        'The request does not start with an HTTP method. This port expects HTTP, without TLS and without the PROXY protocol.',
      );
    default:
      return new Problem('invalid-request', 'The request is not HTTP/1.1 as RFC 9112 defines it.');
  }
}

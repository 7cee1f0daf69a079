import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@ledger-ops/base';

/** Headers of a problem document that is answered before the application is reached. */
export function bareHeaders(problem: Problem): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(problem.retryAfter === undefined ? {} : { 'Retry-After': String(problem.retryAfter) }),
  };
}

/** Writes a problem document where there is no request that could be answered. The connection ends with it. */
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

/** Most bytes of a request line and headers, and most headers. */
export const headLimits = { bytes: 16_384, headers: 100 };

/** A head with too much in it. */
export function headTooLarge(): Problem {
  return new Problem(
    'head-too-large',
    `A request line (with its query) and headers have at most ${headLimits.bytes} bytes together, and a request ${headLimits.headers} headers. Send what is long in a body: the searches take ids there.`,
  );
}

/** The HTTP parser's objection, by the code of its error. */
export function problemOfParser(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('payload-too-large', 'The extensions of a chunk of the body are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request was not complete in time; send it again.');
    case 'HPE_INVALID_METHOD':
      return new Problem('invalid-request', 'The request does not begin with a method of HTTP.');
    default:
      return new Problem('invalid-request', 'The request is not HTTP/1.1 as RFC 9112 defines it.');
  }
}

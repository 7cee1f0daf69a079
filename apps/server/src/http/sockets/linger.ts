import type { Socket } from 'node:net';

/** Limits of the unread data that is discarded from a connection before it is closed. */
export interface LingerBounds {
  readonly bytes: number;
  readonly milliseconds: number;
}

/**
 * Enough to discard twice the bytes of a typical oversized upload, and to wait twice as long as it takes on a
 * typical connection.
 */
export const lingerBounds: LingerBounds = { bytes: 64 * 1_048_576, milliseconds: 10_000 };

/**
 * Ends a connection while the client is still sending: flushes the response, then discards incoming data, without
 * parsing it, until the client ends as well. If the socket were closed immediately, the kernel would answer further data
 * with a reset, and the client would drop the unread response.
 */
export function endLingering(socket: Socket, { bytes, milliseconds }: LingerBounds): void {
  let left = bytes;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  // Adding a listener also detaches the socket from the HTTP parser.
  socket.removeAllListeners('data');
  socket.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  });
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  socket.resume();
}

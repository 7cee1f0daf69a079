import type { Socket } from 'node:net';

/** How much of what nobody reads is taken from a connection that is about to end. */
export interface LingerBounds {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Twice the largest file that people post by mistake, and the time in which a common line carries it. */
export const lingerBounds: LingerBounds = { bytes: 64 * 1_048_576, milliseconds: 10_000 };

/**
 * Ends a connection whose sender is not done: what was written goes out, then what still comes is thrown away until the
 * sender ends as well. Closed at once, the kernel would answer the next bytes with a reset, at which the sender drops
 * the answer that it has not read yet. Nothing that comes is parsed any more.
 */
export function endLingering(socket: Socket, { bytes, milliseconds }: LingerBounds): void {
  let left = bytes;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  // A new listener also takes the connection back from the HTTP parser.
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

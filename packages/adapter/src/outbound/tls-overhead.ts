import type { Socket } from 'node:net';

const sampleEveryMs = 50;
/**
 * Number of bytes allowed for a handshake and the messages directly after it. OpenSSL accepts 100 kB of certificates.
 */
const burst = 262_144;
/** Number of further bytes allowed per second, for connections that stay open. */
const perSecond = 4_096;
/** Number of TLS bytes allowed per byte of content, for servers that send very short records. */
const perContent = 4;

/** A server sent TLS messages without content. */
class TlsOverheadError extends Error {
  override readonly name = 'TlsOverheadError';
  readonly code = 'ETLSOVERHEAD';
}

/**
 * Closes a TLS connection whose server sends much besides content: OpenSSL processes key updates, empty records,
 * warnings, hello requests and large tickets without end, and a megabyte of key updates takes a quarter of a second.
 *
 * @param raw the TCP connection
 * @param secure the TLS connection over it; undefined before it exists
 */
export function limitTlsOverhead(raw: Socket, secure: () => Socket | undefined): void {
  // The other listeners of an open connection belong to TLS.
  raw.on('error', () => undefined);
  const start = performance.now();
  const sampler = setInterval(() => {
    const content = secure()?.bytesRead ?? 0;
    const allowed = burst + ((performance.now() - start) * perSecond) / 1_000 + content * perContent;
    if (raw.bytesRead <= allowed) return;
    clearInterval(sampler);
    (secure() ?? raw).destroy(
      new TlsOverheadError('The server sent more TLS messages without content than allowed.'),
    );
  }, sampleEveryMs).unref();
  raw.once('close', () => clearInterval(sampler));
}

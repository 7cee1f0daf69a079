import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type Handshake, handshakes } from './handshakes.ts';
import { recordLength, ServerFlight } from './server-flight.ts';

/**
 * Maximum bytes until a handshake is complete: a chain of certificates within its limit, and the other
 * messages.
 */
const mostHandshakeBytes = 40_960;
/**
 * Bytes without content that a server may send in one burst after the handshake: tickets, key updates, empty
 * records.
 */
const burst = 131_072;
/** Bytes without content per second, for connections that stay open. */
const perSecond = 4_096;
/** Bytes without content allowed per byte of content, for servers that send very short records. */
const perContent = 4;
/** Maximum number of bytes without content passed to OpenSSL in one turn of the event loop. */
const largestPiece = 16_384;

/** A server sent too many TLS messages without content. */
class TlsOverheadError extends Error {
  override readonly name = 'TlsOverheadError';
  readonly code = 'ETLSOVERHEAD';
}

/**
 * The TCP connection below a TLS client. OpenSSL processes whatever arrives, without limit and in one turn of
 * the event loop: handshakes with expensive chains, key updates, empty records, warnings, hello requests,
 * tickets. So all received bytes pass this gate:
 * - A handshake has at most 40 KiB, its certificates are read before they are verified (`ServerFlight`), and
 *   the processor time of its tenant is limited (`Handshakes`).
 * - Bytes without content are limited: a burst of 128 KiB, refilled by 4 KiB per second and by four bytes per
 *   byte of content.
 * - Handshakes and bytes without content are processed in pieces: one piece per turn of the event loop, for
 *   all connections together.
 */
export class TlsGate extends Duplex {
  readonly #raw: Socket;
  readonly #tenant: string;
  readonly #handshake: Handshake;
  readonly #flight = new ServerFlight();
  #secure: Socket | undefined;
  /** Received bytes that are not processed yet. */
  #waiting: Buffer = Buffer.alloc(0);
  #isQueued = false;
  /** Whether the connection ended after the waiting bytes. */
  #isAtEnd = false;
  #passed = 0;
  #overhead = 0;
  #content = 0;
  #credit = burst;
  #checkedAt = performance.now();
  /** Whether the last piece had content. If so, the next piece need not wait. */
  #hadContent = false;

  /** @param raw an open connection from which nothing was read yet */
  constructor(raw: Socket, tenant: string) {
    super();
    this.#raw = raw;
    this.#tenant = tenant;
    this.#handshake = handshakes.begin(tenant, (error) => this.#fail(error));
    raw.on('data', (part: Buffer) => this.#receive(part));
    raw.once('end', () => this.#end());
    raw.on('error', (error) => this.destroy(error));
    // Bytes that arrived before the end may not be processed yet.
    raw.once('close', () => this.#end());
    // undici and gRPC set these options on the TLS socket, which cannot pass them on to this connection.
    raw.setNoDelay(true);
    raw.setKeepAlive(true, 60_000);
  }

  /**
   * Call this once, with the TLS connection on top of this connection, before it receives anything. The gate reports
   * errors to the TLS connection.
   */
  attach(secure: Socket): void {
    this.#secure = secure;
    const addKey = (line: Buffer) => this.#flight.addKey(line.toString());
    secure.on('keylog', addKey);
    secure.once('secureConnect', () => secure.off('keylog', addKey));
  }

  /** Call this when the handshake is complete. From then on, the limits of bytes without content apply. */
  complete(): void {
    this.#handshake.end();
    this.#overhead = this.#passed - this.readableLength;
  }

  override _read(): void {
    if (this.#waiting.length === 0) this.#raw.resume();
    else this.#queue();
  }

  override _write(part: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#raw.write(part, done);
  }

  override _writev(
    parts: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#raw.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#handshake.end();
    this.#waiting = Buffer.alloc(0);
    this.#raw.destroy();
    done(error);
  }

  #receive(part: Buffer): void {
    if (this.destroyed) return;
    if (this.#hadContent && this.#waiting.length === 0) {
      this.#pass(part);
      return;
    }
    this.#raw.pause();
    this.#waiting = this.#waiting.length === 0 ? part : Buffer.concat([this.#waiting, part]);
    this.#queue();
  }

  #end(): void {
    this.#isAtEnd = true;
    if (this.#waiting.length > 0) this.#queue();
    else this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#isAtEnd || this.#waiting.length > 0 || this.destroyed) return;
    this.push(null);
  }

  #queue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    turns.add(this.#tenant, () => {
      this.#isQueued = false;
      if (this.destroyed) return;
      const piece = this.#nextPiece();
      if (piece === undefined) {
        this.#raw.resume();
        return;
      }
      this.#waiting = this.#waiting.subarray(piece.length);
      const goesOn = this.#pass(piece);
      this.#endIfDone();
      if (this.destroyed || !goesOn) return;
      if (this.#waiting.length === 0) this.#raw.resume();
      else this.#queue();
    });
  }

  /** Returns the next bytes for OpenSSL; undefined if there are none yet, or if the connection failed. */
  #nextPiece(): Buffer | undefined {
    const waiting = this.#waiting;
    if (this.#handshake.isOver) return waiting.subarray(0, largestPiece);
    // Handshake bytes are passed on in whole records, after `ServerFlight` has read them.
    let end = 0;
    while (!this.#flight.needsSecret || end === 0) {
      const rest = waiting.subarray(end);
      const length = recordLength(rest);
      if (length === undefined || length > rest.length || (end > 0 && end + length > largestPiece)) break;
      const error = this.#flight.read(rest.subarray(0, length));
      if (error !== undefined) {
        this.#fail(error);
        return undefined;
      }
      end += length;
    }
    if (end > 0) return waiting.subarray(0, end);
    // OpenSSL does not process an incomplete record, but reports it.
    return this.#isAtEnd ? waiting : undefined;
  }

  /** Passes bytes to OpenSSL, which processes them before this call returns unless the reader is paused. */
  #pass(piece: Buffer): boolean {
    this.#passed += piece.length;
    if (!this.#handshake.isOver && this.#passed > mostHandshakeBytes) {
      this.#fail(new TlsOverheadError('The TLS handshake is longer than allowed.'));
      return false;
    }
    const goesOn = this.#handshake.isOver ? this.push(piece) : this.#handshake.run(() => this.push(piece));
    this.#count();
    if (!goesOn) this.#raw.pause();
    return goesOn;
  }

  #count(): void {
    if (!this.#handshake.isOver || this.destroyed) return;
    const content = this.#secure?.bytesRead ?? 0;
    const gained = content - this.#content;
    const overhead = this.#passed - this.readableLength - content;
    const now = performance.now();
    const refill = ((now - this.#checkedAt) * perSecond) / 1_000 + gained * perContent;
    this.#credit = Math.min(burst, this.#credit + refill) - (overhead - this.#overhead);
    this.#checkedAt = now;
    this.#content = content;
    this.#overhead = overhead;
    this.#hadContent = gained > 0;
    if (this.#credit < 0) {
      this.#fail(new TlsOverheadError('The server sent more TLS messages without content than allowed.'));
    }
  }

  #fail(error: Error): void {
    this.#secure?.destroy(error);
    this.destroy(error);
  }
}

/** Runs one piece of work per turn of the event loop, and alternates between tenants. */
class Turns {
  readonly #byTenant = new Map<string, (() => void)[]>();
  #isScheduled = false;

  add(tenant: string, work: () => void): void {
    const list = this.#byTenant.get(tenant);
    if (list === undefined) this.#byTenant.set(tenant, [work]);
    else list.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#byTenant.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#runOne();
      this.#schedule();
    });
  }

  #runOne(): void {
    const next = this.#byTenant.entries().next();
    if (next.done === true) return;
    const [tenant, list] = next.value;
    const work = list.shift();
    this.#byTenant.delete(tenant);
    // Moves the tenant to the end, so that the other tenants are next.
    if (list.length > 0) this.#byTenant.set(tenant, list);
    work?.();
  }
}

const turns = new Turns();

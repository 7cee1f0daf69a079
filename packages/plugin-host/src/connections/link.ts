import { Duplex } from 'node:stream';
import { createFrameReader, encodeFrame } from '../messages/frame.ts';
import { readAtPace } from '../messages/pace.ts';

/**
 * Connections of a child, all over one stream between it and its host. The child asks (`resolve`, `connect`), the host
 * answers; then bytes go both ways, no more than `window` of them unread.
 */
export type LinkMessage =
  | { t: 'resolve'; id: number; host: string }
  | { t: 'connect'; id: number; host: string; port: number }
  | { t: 'resolved'; id: number; addresses: { address: string; family: number }[] }
  | { t: 'connected'; id: number; address: string; port: number; family: string }
  /** Neither resolved nor connected, or the end of a connection that broke; the code is that of Node's errors. */
  | { t: 'failed'; id: number; code: string }
  | { t: 'data'; id: number; bytes: Uint8Array }
  | { t: 'took'; id: number; bytes: number }
  /** Nothing more comes this way. */
  | { t: 'end'; id: number };

/** Bytes of one connection that may be on their way, each way. */
const window = 256 * 1_024;
const piece = 64 * 1_024;
/** Bytes of one message: a piece, and what stands around it. */
const longestMessage = piece + 4_096;
/** Values of one message: the longest lists addresses. */
const mostValues = 5_000;

/** One connection's end, on either side. */
export class Lane extends Duplex {
  readonly #send: (message: LinkMessage) => void;
  readonly #id: number;
  /** Bytes that the other side can still take. */
  #credit = window;
  #waiting: { rest: Uint8Array; done: () => void } | undefined;
  /** Bytes that came and were not yet said to be taken. */
  #owed = 0;

  constructor(id: number, send: (message: LinkMessage) => void) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.#id = id;
    this.#send = send;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#waiting = { rest: chunk, done };
    this.#flush();
  }

  override _final(done: () => void): void {
    this.#send({ t: 'end', id: this.#id });
    done();
  }

  override _read(): void {
    if (this.#owed === 0) return;
    this.#send({ t: 'took', id: this.#id, bytes: this.#owed });
    this.#owed = 0;
  }

  #flush(): void {
    while (this.#waiting !== undefined && this.#credit > 0) {
      const { rest, done } = this.#waiting;
      const bytes = rest.subarray(0, Math.min(piece, this.#credit));
      this.#credit -= bytes.length;
      this.#send({ t: 'data', id: this.#id, bytes });
      if (bytes.length < rest.length) {
        this.#waiting = { rest: rest.subarray(bytes.length), done };
      } else {
        this.#waiting = undefined;
        done();
      }
    }
  }

  /** Takes what the other side says of this connection. False: it did not keep to the rules. */
  receive(message: LinkMessage & { t: 'data' | 'took' | 'end' }): boolean {
    if (this.destroyed) return true;
    switch (message.t) {
      case 'data':
        this.#owed += message.bytes.length;
        if (this.#owed > window) return false;
        if (this.push(message.bytes)) this._read();
        return true;
      case 'took':
        this.#credit += message.bytes;
        if (this.#credit > window) return false;
        this.#flush();
        return true;
      case 'end':
        this.push(null);
        return true;
    }
  }
}

/** Callbacks of one side of a link. */
export interface LinkEvents {
  message(message: unknown): void;
  fault(detail: string): void;
}

/** Reads and writes the messages of a link. */
export function openLink(stream: Duplex, events: LinkEvents): (message: LinkMessage) => void {
  readAtPace(stream, createFrameReader(longestMessage, events, mostValues));
  // Whoever holds the process sees its end.
  stream.on('error', () => undefined);
  return (message) => {
    if (!stream.destroyed) stream.write(encodeFrame(message));
  };
}

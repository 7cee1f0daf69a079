import { Duplex } from 'node:stream';
import { createFrameReader, encodeFrame } from '../messages/frame.ts';
import { readAtPace } from '../messages/pace.ts';

/**
 * A child's connections, multiplexed over one stream to its host. The child sends requests (`resolve`,
 * `connect`), and the host answers. After that, bytes are sent in both directions, with at most `window`
 * unread bytes.
 */
export type LinkMessage =
  | { t: 'resolve'; id: number; host: string }
  | { t: 'connect'; id: number; host: string; port: number }
  | { t: 'resolved'; id: number; addresses: { address: string; family: number }[] }
  | { t: 'connected'; id: number; address: string; port: number; family: string }
  /**
   * A failed lookup or connection, or the end of a broken connection. The code is one of Node's error codes.
   */
  | { t: 'failed'; id: number; code: string }
  | { t: 'data'; id: number; bytes: Uint8Array }
  | { t: 'took'; id: number; bytes: number }
  /** The sender sends nothing more in this direction. */
  | { t: 'end'; id: number };

/** Maximum number of unread bytes of one connection, in each direction. */
const window = 256 * 1_024;
const piece = 64 * 1_024;
/** Maximum number of bytes of one message: a chunk of data and its envelope. */
const longestMessage = piece + 4_096;
/** Maximum number of values in one message. The longest message is a list of addresses. */
const mostValues = 5_000;

/** One end of a connection. */
export class Lane extends Duplex {
  readonly #send: (message: LinkMessage) => void;
  readonly #id: number;
  /** Number of bytes that the other side can still accept. */
  #credit = window;
  #waiting: { rest: Uint8Array; done: () => void } | undefined;
  /** Received bytes that were not acknowledged yet. */
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

  /** Handles a message of the other side. Returns false if it violates the protocol. */
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
  // Errors need no handling here, because the owner of the process is notified when it exits.
  stream.on('error', () => undefined);
  return (message) => {
    if (!stream.destroyed) stream.write(encodeFrame(message));
  };
}

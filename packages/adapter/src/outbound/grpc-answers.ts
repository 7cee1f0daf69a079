import { subscribe } from 'node:diagnostics_channel';
import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnswerBudget, AnswerLease } from './budget.ts';

/** The tenant and the budget of a gRPC connection. */
export interface GrpcReader {
  readonly tenant: string;
  readonly budget: AnswerBudget;
  /** Whether a method returns a stream, whose messages are read one by one. @param path of the request */
  isStream(path: string): boolean;
  /**
   * Called when an answer is aborted.
   * @param reason a predicate that follows the name of the peer
   */
  gaveUp(reason: string): void;
}

const readerKey = Symbol('reader of answers');
/** Overhead of each chunk in bytes. */
const bytesOfChunk = 256;
const prefixBytes = 5;

/**
 * Reserves memory in the budget for the messages of a connection, before more bytes are read: gRPC itself
 * buffers messages of any permitted length. gRPC does not expose its streams, so they are found through
 * Node's diagnostics channel `http2.client.stream.created`.
 */
export function reserveGrpcAnswers(socket: Socket, reader: GrpcReader): void {
  Object.defineProperty(socket, readerKey, { value: reader });
}

subscribe('http2.client.stream.created', (message) => {
  const { stream, headers } = message as { stream: ClientHttp2Stream; headers: OutgoingHttpHeaders };
  // `session.socket` is a proxy that forwards properties of the connection's socket.
  const reader: GrpcReader | undefined = Reflect.get(stream.session?.socket ?? {}, readerKey);
  if (reader !== undefined) new AnswerMemory(stream, reader, reader.isStream(String(headers[':path'])));
});

/**
 * Reserves memory for the messages of one stream. Each message starts with a prefix of five bytes that contains its length. A
 * message is buffered until it is complete and has been read.
 */
class AnswerMemory {
  readonly #stream: ClientHttp2Stream;
  readonly #reader: GrpcReader;
  readonly #isStream: boolean;
  #lease: AnswerLease | undefined;
  #held = 0;
  #prefix = Buffer.alloc(0);
  /** Bytes of the current message that have not arrived yet. */
  #missing = 0;
  #isWaiting = false;

  constructor(stream: ClientHttp2Stream, reader: GrpcReader, isStream: boolean) {
    this.#stream = stream;
    this.#reader = reader;
    this.#isStream = isStream;
    stream.on('data', (chunk: Buffer) => this.#add(chunk));
    stream.once('close', () => this.#releaseLater());
  }

  #add(chunk: Buffer): void {
    if (this.#stream.destroyed) return;
    this.#held += bytesOfChunk;
    for (let at = 0; at < chunk.length; ) {
      if (this.#missing === 0) {
        const end = at + prefixBytes - this.#prefix.length;
        this.#prefix = Buffer.concat([this.#prefix, chunk.subarray(at, end)]);
        at = Math.min(end, chunk.length);
        if (this.#prefix.length < prefixBytes) return;
        if (this.#prefix[0] !== 0) {
          this.#giveUp('sent a compressed answer, which was not requested');
          return;
        }
        this.#missing = this.#prefix.readUInt32BE(1);
        this.#prefix = Buffer.alloc(0);
      } else {
        const bytes = Math.min(this.#missing, chunk.length - at);
        this.#missing -= bytes;
        this.#held += bytes;
        at += bytes;
        this.#reserve();
      }
      if (this.#missing === 0 && this.#isStream) this.#releaseLater();
    }
    // gRPC may have resumed the stream in the meantime.
    if (this.#isWaiting) this.#stream.pause();
  }

  #reserve(): void {
    const { budget, tenant } = this.#reader;
    this.#lease ??= budget.open(tenant, ({ message }) => this.#giveUp(message));
    if (this.#isWaiting) return;
    const growing = this.#lease.grow(this.#held);
    if (growing === undefined) return;
    this.#isWaiting = true;
    growing.then(
      () => {
        this.#isWaiting = false;
        if (!this.#stream.destroyed) this.#stream.resume();
      },
      (error: unknown) => this.#giveUp(error instanceof Error ? error.message : 'could not be buffered'),
    );
  }

  #giveUp(reason: string): void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    this.#isWaiting = false;
    this.#reader.gaveUp(reason);
    // gRPC reports this code as an unavailable peer.
    this.#stream.close(constants.NGHTTP2_REFUSED_STREAM);
    this.#stream.resume();
    this.#releaseLater();
  }

  /** Releases the lease in the next turn of the event loop, after the reader has processed the message. */
  #releaseLater(): void {
    const lease = this.#lease;
    this.#lease = undefined;
    this.#held = 0;
    if (lease !== undefined) setImmediate(() => lease.release());
  }
}

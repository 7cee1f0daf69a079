import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The bytes that end a request head, and a chunked body with or without trailers (RFC 9112, sections 2.1 and 7.1). */
const terminator = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
/**
 * Any chunked body may have `freeChunks` chunks. A body with more chunks needs at least `leastChunk` bytes per chunk
 * on average: parsing a chunk takes longer than parsing a thousand bytes.
 */
const [freeChunks, leastChunk] = [1_024, 16];
/** Maximum bytes of a chunked body that are parsed before its chunks are counted again. */
const largestSlice = 4_096;

/** A request and its response. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Access to the gates of a server's connections. */
export interface RequestGates {
  /** Returns the request in progress on a connection, until it is received in full and its response is flushed. */
  exchangeOf(socket: Socket): Exchange | undefined;
  /** Whether bytes of further requests were received on a connection. */
  holdsBytes(socket: Socket): boolean;
  /** Stops parsing a connection that is about to end. */
  stop(socket: Socket): void;
}

/**
 * Makes a server execute one request per connection at a time and read no further request before the previous response is
 * flushed. By default, Node parses all pipelined requests of a read at once, 3,600 in 64 kB, and buffers a
 * response for each, whether or not the client reads.
 */
export function gateRequests(server: Server): RequestGates {
  const gates = new WeakMap<Socket, RequestGate>();
  const turns = new Turns();
  const refuse = (socket: Socket) => server.emit('clientError', new ShortChunksError(), socket);
  server.on('connection', (socket) => gates.set(socket, new RequestGate(socket, turns, refuse)));
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    gates.get(incoming.socket)?.begin(incoming, outgoing);
  server.on('request', begin);
  server.on('checkExpectation', begin);
  return {
    exchangeOf: (socket) => gates.get(socket)?.exchange,
    holdsBytes: (socket) => gates.get(socket)?.holdsBytes === true,
    stop: (socket) => gates.get(socket)?.stop(),
  };
}

/** A body has too many chunks for its length. `problemOfParser` converts its code to a problem. */
class ShortChunksError extends Error {
  override readonly name = 'ShortChunksError';
  readonly code = 'HPE_SHORT_CHUNKS';
}

/** Lets only one connection with pipelined requests continue per turn of the event loop. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  add(run: () => void): void {
    this.#waiting.push(run);
    this.#schedule();
  }

  readonly #next = (): void => {
    this.#isScheduled = false;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#schedule();
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }
}

/**
 * Controls the bytes from a socket to Node's HTTP parser. It is open while a request is being received, and closed from
 * the request's last byte until its response is flushed. While closed, it still reads the socket, so that a disconnect
 * is noticed; when bytes of the next request arrive, it pauses the socket.
 */
class RequestGate {
  readonly #socket: Socket;
  readonly #turns: Turns;
  readonly #parse: (bytes: Buffer) => void;
  #exchange: Exchange | undefined;
  /** Received bytes that are not parsed yet. */
  #held: Buffer = nothing;
  /** Remaining bytes of the body. Undefined if the body is chunked, or while a head is received. */
  #bodyLeft: number | undefined;
  /** The last parsed bytes, up to three, because a terminator may be split over two reads. */
  #tail = nothing;
  /** Whether this gate paused the socket. The parser also pauses it while no one reads the body. */
  #pauses = false;
  #isStopped = false;
  #chunks = { count: 0, bytes: 0 };
  readonly #refuse: (socket: Socket) => void;

  /** @param refuse ends a connection whose body has too many chunks */
  constructor(socket: Socket, turns: Turns, refuse: (socket: Socket) => void) {
    this.#socket = socket;
    this.#refuse = refuse;
    this.#turns = turns;
    const [parse] = socket.listeners('data');
    if (parse === undefined) throw new TypeError('No HTTP parser reads this socket.');
    // A second listener makes Node emit the data, which otherwise goes directly to the parser.
    socket.on('data', this.#receive);
    // The HTTP parser's `data` listener. `listeners()` returns `Function[]`, so a cast is needed.
    this.#parse = parse as (bytes: Buffer) => void;
    socket.off('data', this.#parse);
  }

  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  get holdsBytes(): boolean {
    return this.#held.length > 0;
  }

  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#exchange = { incoming, outgoing };
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    this.#bodyLeft = length === undefined || coding !== undefined ? undefined : Number(length);
    outgoing.on('finish', this.#flushed);
    if (this.#bodyLeft === undefined) this.#countChunks(incoming);
  }

  /** Counts the chunks of a body before the application reads it. */
  #countChunks(incoming: IncomingMessage): void {
    const chunks = { count: 0, bytes: 0 };
    this.#chunks = chunks;
    const push = incoming.push.bind(incoming);
    incoming.push = (chunk: Buffer | null, encoding) => {
      chunks.count += 1;
      chunks.bytes += chunk?.length ?? 0;
      return push(chunk, encoding);
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#held = nothing;
  }

  readonly #receive = (bytes: Buffer): void => {
    if (this.#isStopped) return;
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    // Pauses again, because the parser resumes a socket whose body is read.
    if (this.#pauses) this.#socket.pause();
    else this.#advance();
  };

  readonly #flushed = (): void => {
    if (this.#pauses) this.#turns.add(this.#resume);
    else this.#finishExchange();
  };

  readonly #resume = (): void => {
    if (this.#isStopped) return;
    this.#pauses = false;
    this.#socket.resume();
    this.#advance();
  };

  #advance(): void {
    while (this.#held.length > 0 && this.#isOpen()) {
      const end = this.#endOfSlice();
      const slice = this.#held.subarray(0, end);
      this.#held = this.#held.subarray(end);
      this.#parse(slice);
      if (this.#chunks.count > freeChunks + this.#chunks.bytes / leastChunk) {
        this.#refuse(this.#socket);
        return;
      }
    }
    if (this.#held.length === 0) {
      this.#held = nothing;
      return;
    }
    this.#pauses = true;
    this.#socket.pause();
  }

  #isOpen(): boolean {
    if (this.#isStopped || this.#socket.destroyed) return false;
    this.#finishExchange();
    return this.#exchange?.incoming.complete !== true;
  }

  #finishExchange(): void {
    const { incoming, outgoing } = this.#exchange ?? {};
    if (incoming?.complete === true && outgoing?.writableFinished === true) this.#exchange = undefined;
  }

  /** End of the next bytes to parse; never beyond the request that they belong to. */
  #endOfSlice(): number {
    const held = this.#held;
    if (this.#exchange !== undefined && this.#bodyLeft !== undefined) {
      const end = Math.min(this.#bodyLeft, held.length);
      this.#bodyLeft -= end;
      return end;
    }
    const tail = this.#tail;
    const limit = Math.min(held.length, this.#exchange === undefined ? held.length : largestSlice);
    const split = tail.length === 0 ? -1 : Buffer.concat([tail, held.subarray(0, 3)]).indexOf(terminator);
    const within = held.subarray(0, limit);
    const at = split === -1 ? within.indexOf(terminator) : split - tail.length;
    this.#tail = at === -1 ? Buffer.concat([tail, within.subarray(-3)]).subarray(-3) : nothing;
    return at === -1 ? limit : at + terminator.length;
  }
}

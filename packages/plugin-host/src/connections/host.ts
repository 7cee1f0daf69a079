import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressCheck } from '@ledger-ops/adapter/outbound';
import { guardedLookup, type Resolve } from '@ledger-ops/adapter/outbound';
import { z } from 'zod';
import { shared } from '../timing.ts';
import type { DenialReason } from './denied.ts';
import { type Endpoints, plainHost } from './endpoints.ts';
import { Lane, openLink } from './link.ts';

/** Maximum number of connections of one child, including those being opened. */
const mostConnections = 512;
/** Maximum number of connections that wait until another one closes. */
const mostWaiting = 4_096;
/** Maximum number of bytes queued for a child that does not read. */
const mostUnread = 64 * 1_048_576;

const id = z.int().min(0);
const fromChild = z.discriminatedUnion('t', [
  z.object({ t: z.literal('resolve'), id, host: z.string().min(1).max(255) }),
  z.object({
    t: z.literal('connect'),
    id,
    host: z.string().min(1).max(255),
    port: z.int().min(1).max(65_535),
  }),
  z.object({ t: z.literal('data'), id, bytes: z.instanceof(Uint8Array) }),
  z.object({ t: z.literal('took'), id, bytes: z.int().min(1) }),
  z.object({ t: z.literal('end'), id }),
  z.object({ t: z.literal('failed'), id, code: z.string().max(100) }),
]);

/** One connection that was opened for a child, or is being opened. */
interface Connection {
  host: string;
  port: number;
  /** The outbound guard of the ledgers that name the destination. */
  allows: AddressCheck;
  socket: Socket | undefined;
  lane: Lane | undefined;
}

/**
 * Opens the connections that a child requests, only to destinations named by its open ledgers and allowed by
 * the outbound guard. Stores open and waiting connections by id, and lookups in progress by host.
 */
export class HostConnections {
  readonly #stream: Duplex;
  readonly #endpoints: Endpoints;
  readonly #fault: (detail: string) => void;
  readonly #denied: (place: string, why: DenialReason) => void;
  readonly #connections = new Map<number, Connection>();
  readonly #waiting = new Set<number>();
  /** Pending DNS lookups, which are limited. */
  readonly #asked = new Map<string, Promise<LookupAddress[]>>();
  #questions = 0;
  /** Highest stream id used by the child. Ids are never reused, even after a stream closes. */
  #last = -1;
  #closed = false;
  readonly #write;

  readonly #resolver: Resolve = (host, _options, callback) => {
    this.#ask(host).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  /**
   * @param fault called when the child violates the protocol; the caller must then end the child
   * @param denied called for each refused destination
   */
  constructor(
    stream: Duplex,
    endpoints: Endpoints,
    fault: (detail: string) => void,
    denied: (place: string, why: DenialReason) => void,
  ) {
    this.#stream = stream;
    this.#endpoints = endpoints;
    this.#fault = fault;
    this.#denied = denied;
    this.#write = openLink(stream, {
      message: (value) => this.#receive(value),
      fault: (detail) => this.#fault(`it sent ${detail}`),
    });
  }

  /** Closes connections to destinations that the child's ledgers no longer name. */
  review(): void {
    for (const [id, { host, port }] of this.#connections) {
      if (this.#endpoints.check(host, port) !== undefined) continue;
      this.#end(id);
      this.#refuse(id, 'ECONNABORTED');
    }
  }

  close(): void {
    this.#closed = true;
    for (const id of this.#connections.keys()) this.#end(id);
    this.#stream.destroy();
  }

  #send(message: Parameters<ReturnType<typeof openLink>>[0]): void {
    this.#write(message);
    if (this.#stream.writableLength > mostUnread) this.#fault('it does not read the data of its connections');
  }

  #refuse(id: number, code: string) {
    return this.#send({ t: 'failed', id, code });
  }

  #receive(value: unknown): void {
    if (this.#closed) return;
    const parsed = fromChild.safeParse(value);
    if (!parsed.success) {
      this.#fault('it sent an invalid message about connections');
      return;
    }
    const message = parsed.data;
    if (message.t === 'resolve' || message.t === 'connect') {
      if (message.id <= this.#last) {
        this.#fault(
          message.t === 'connect' ? 'it opened a connection twice' : 'it requested a name lookup twice',
        );
        return;
      }
      this.#last = message.id;
    }
    switch (message.t) {
      case 'resolve':
        void this.#resolve(message.id, message.host);
        break;
      case 'connect':
        this.#open(message);
        break;
      case 'failed':
        // The child canceled the connection.
        this.#end(message.id);
        break;
      default: {
        // The child may still use the id of a closed connection until it learns that it was closed.
        const lane = this.#connections.get(message.id)?.lane;
        if (lane !== undefined && !lane.receive(message))
          this.#fault('it sent more over a connection than it was allowed to');
      }
    }
  }

  async #resolve(id: number, host: string): Promise<void> {
    if (!this.#endpoints.knows(host)) {
      this.#denied(host, 'not-named');
      this.#refuse(id, 'ENOTFOUND');
      return;
    }
    if (this.#questions >= mostWaiting) {
      this.#fault('it requests too many name lookups');
      return;
    }
    this.#questions += 1;
    try {
      const addresses = await this.#ask(host);
      if (this.#closed) return;
      for (const { address } of addresses) this.#endpoints.learn(host, address);
      this.#send({ t: 'resolved', id, addresses });
    } catch (error) {
      if (!this.#closed) this.#refuse(id, codeOf(error));
    } finally {
      this.#questions -= 1;
    }
  }

  #ask(written: string): Promise<LookupAddress[]> {
    const host = plainHost(written);
    const known = this.#asked.get(host);
    if (known !== undefined) return known;
    const answer = lookup(host, { all: true });
    this.#asked.set(host, answer);
    const done = () => this.#asked.delete(host);
    answer.then(done, done);
    return answer;
  }

  #open({ id, host, port }: { id: number; host: string; port: number }): void {
    const allows = this.#endpoints.check(host, port);
    const isClosed = allows === undefined || (isIP(host) !== 0 && !allows(host));
    if (isClosed) this.#denied(placeOf(host, port), allows === undefined ? 'not-named' : 'not-opened');
    if (isClosed || this.#connections.size >= mostConnections + mostWaiting) {
      this.#refuse(id, allows === undefined ? 'EACCES' : isClosed ? 'EOUTBOUND' : 'EMFILE');
      return;
    }
    this.#connections.set(id, { host, port, allows, socket: undefined, lane: undefined });
    this.#waiting.add(id);
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (const id of this.#waiting) {
      if (this.#connections.size - this.#waiting.size >= mostConnections) return;
      this.#waiting.delete(id);
      const connection = this.#connections.get(id);
      if (connection !== undefined) this.#start(id, connection);
    }
  }

  #start(id: number, connection: Connection): void {
    const { host, port, allows } = connection;
    const socket = connect({
      host: plainHost(host),
      port,
      lookup: guardedLookup(allows, this.#resolver),
      allowHalfOpen: true,
    });
    connection.socket = socket;
    let failure: string | undefined;
    const giveUp = (code: string) => {
      failure = code;
      socket.destroy();
    };
    socket.setNoDelay(true).setTimeout(shared.connect, () => giveUp('ETIMEDOUT'));
    socket.once('connect', () => {
      const { remoteAddress: address, remotePort, remoteFamily } = socket;
      if (address === undefined || !allows(address)) {
        giveUp('EOUTBOUND');
        return;
      }
      socket.setTimeout(0);
      const lane = new Lane(id, (message) => this.#send(message));
      connection.lane = lane;
      lane.once('error', () => undefined);
      socket.pipe(lane).pipe(socket);
      this.#send({ t: 'connected', id, address, port: remotePort ?? port, family: remoteFamily ?? 'IPv4' });
    });
    socket.once('error', (error) => {
      failure ??= codeOf(error);
    });
    socket.once('close', () => {
      if (this.#connections.get(id) !== connection) return;
      const { lane } = connection;
      if (failure === undefined && lane?.destroyed === false) {
        // Bytes that were sent before the end are still in transit.
        lane.once('close', () => this.#end(id));
        return;
      }
      if (failure === 'EOUTBOUND') this.#denied(placeOf(host, port), 'not-opened');
      if (failure !== undefined || lane === undefined) this.#refuse(id, failure ?? 'ECONNRESET');
      this.#end(id);
    });
  }

  #end(id: number): void {
    const connection = this.#connections.get(id);
    this.#connections.delete(id);
    this.#waiting.delete(id);
    connection?.lane?.destroy();
    connection?.socket?.destroy();
    if (!this.#closed) this.#startWaiting();
  }
}

const placeOf = (host: string, port: number) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // None of the addresses could be reached, so the first error is reported.
  if (code === '' && error instanceof AggregateError) return codeOf(error.errors[0]);
  return code === '' ? 'ECONNRESET' : code;
}

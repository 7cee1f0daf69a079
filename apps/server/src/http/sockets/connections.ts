import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@ledger-ops/base';
import { networkOf } from '../request/source.ts';
import { writeProblem } from './bare-problem.ts';
import type { Exchange, RequestGates } from './request-gate.ts';

/** Limits of open connections. */
export interface ConnectionBounds {
  readonly total: number;
  /** Per IPv4 address or IPv6 /64 network. If undefined, only `total` applies. */
  readonly perAddress: number | undefined;
}

/** The limit that was reached. */
export type Bound = 'address' | 'total';

export interface ConnectionMeter {
  /** Sets the number of open connections. */
  open(count: number): void;
  /** A new connection reached a limit: either it was refused, or an older one was closed for it. */
  bounded(bound: Bound, outcome: 'refused' | 'evicted'): void;
}

/** Time limits for clients that block their connection, in milliseconds. */
export interface Patience {
  /** For sending the rest of a body after the complete response was sent. */
  readonly body: number;
  /** For reading a complete response. */
  readonly response: number;
}

const patience: Patience = { body: 10_000, response: 120_000 };

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The exchange whose client is slow, and the time of the first check that noticed it. */
  heldUp: { readonly exchange: Exchange; readonly since: number } | undefined;
}

/** Interval between checks for slow clients, in milliseconds. */
const sweepIntervalMs = 2_000;

/**
 * Limits the open connections of a server. When a limit is reached, a new connection replaces the oldest one that waits
 * for its client: of the same address or, for the total limit, of the address with the most connections. If all of these
 * are executing requests, the new connection is refused.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #patience: Patience;
  readonly #gates: RequestGates;
  readonly #meter: ConnectionMeter;
  /** Connections by address, the oldest first. */
  readonly #byAddress = new Map<string, Set<Connection>>();
  readonly #sweeping: NodeJS.Timeout;
  #count = 0;

  constructor(
    server: Server,
    gates: RequestGates,
    meter: ConnectionMeter,
    bounds: ConnectionBounds,
    limits: Patience = patience,
  ) {
    this.#bounds = bounds;
    this.#patience = limits;
    this.#gates = gates;
    this.#meter = meter;
    const accept = server.listeners('connection');
    server.removeAllListeners('connection');
    // Runs before Node's own listener, so that a refused connection needs no parser.
    server.on('connection', (socket: Socket) => {
      if (this.#admit(socket)) for (const listener of accept) listener.call(server, socket);
    });
    this.#sweeping = setInterval(() => this.#sweep(), Math.min(sweepIntervalMs, limits.body)).unref();
  }

  /** Stops the checks; does not close connections. */
  close(): void {
    clearInterval(this.#sweeping);
  }

  #admit(socket: Socket): boolean {
    const address = networkOf(socket.remoteAddress ?? '');
    const same = this.#byAddress.get(address) ?? new Set();
    const { perAddress, total } = this.#bounds;
    if (perAddress !== undefined && same.size >= perAddress && !this.#evict(same, 'address')) {
      const detail = `${perAddress} connections from this address are in use. Reuse connections, or wait for requests and event streams to end.`;
      this.#refuse(socket, 'address', new Problem('too-many-requests', detail, { retryAfter: 5 }));
      return false;
    }
    if (this.#count >= total && !this.#evictAnywhere()) {
      const detail = 'All connections of the service are in use. Try again later.';
      this.#refuse(socket, 'total', new Problem('unavailable', detail, { retryAfter: 5 }));
      return false;
    }
    this.#add({ socket, address, heldUp: undefined });
    return true;
  }

  #add(connection: Connection): void {
    const { socket, address } = connection;
    const same = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, same.add(connection));
    this.#meter.open(++this.#count);
    socket.once('close', () => this.#remove(connection));
  }

  #remove(connection: Connection): void {
    const same = this.#byAddress.get(connection.address);
    if (same?.delete(connection) !== true) return;
    if (same.size === 0) this.#byAddress.delete(connection.address);
    this.#meter.open(--this.#count);
  }

  #refuse(socket: Socket, bound: Bound, problem: Problem): void {
    this.#meter.bounded(bound, 'refused');
    socket.on('error', () => socket.destroy());
    writeProblem(socket, problem);
    socket.destroySoon();
  }

  /** Closes the oldest connection that waits for its client. Returns false if there is none. */
  #evict(of: ReadonlySet<Connection>, bound: Bound): boolean {
    const victim = this.#oldestWaiting(of);
    if (victim === undefined) return false;
    this.#meter.bounded(bound, 'evicted');
    victim.socket.destroy();
    this.#remove(victim);
    return true;
  }

  #evictAnywhere(): boolean {
    if (this.#evict(this.#largest(), 'total')) return true;
    for (const same of this.#byAddress.values()) if (this.#evict(same, 'total')) return true;
    return false;
  }

  #oldestWaiting(of: ReadonlySet<Connection>): Connection | undefined {
    for (const one of of) if (waitsForClient(this.#gates.exchangeOf(one.socket))) return one;
    return undefined;
  }

  #largest(): ReadonlySet<Connection> {
    let largest: ReadonlySet<Connection> = new Set();
    for (const same of this.#byAddress.values()) if (same.size > largest.size) largest = same;
    return largest;
  }

  #sweep(): void {
    const now = performance.now();
    for (const same of this.#byAddress.values()) for (const one of same) this.#check(one, now);
  }

  #check(connection: Connection, now: number): void {
    const { socket, heldUp } = connection;
    const exchange = this.#gates.exchangeOf(socket);
    if (exchange === undefined || !exchange.outgoing.writableEnded) {
      connection.heldUp = undefined;
    } else if (heldUp?.exchange !== exchange) {
      connection.heldUp = { exchange, since: now };
    } else {
      const { body, response } = this.#patience;
      if (now - heldUp.since > (exchange.outgoing.writableFinished ? body : response)) socket.destroy();
    }
  }
}

/** Whether there is no request, the request is incomplete, or its complete response has not been read. */
function waitsForClient(exchange: Exchange | undefined): boolean {
  return exchange === undefined || !exchange.incoming.complete || exchange.outgoing.writableEnded;
}

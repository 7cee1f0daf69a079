import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressCheck } from '@ledger-ops/outbound';
import { guardedLookup, type Resolve } from '@ledger-ops/outbound';
import { z } from 'zod';
import { shared } from '../timing.ts';
import type { DenialReason } from './denied.ts';
import { type Endpoints, plainHost } from './endpoints.ts';
import { Lane, openLink } from './link.ts';

/** Connections of one child at once, those that are being made among them. */
const mostConnections = 512;
/** Connections that may wait for a place among those. */
const mostWaiting = 4_096;
/** Bytes that may wait for a child that does not read. */
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

/** One connection that was made for a child, or is being made. */
interface Connection {
  host: string;
  port: number;
  /** The guard of the ledgers that name the place. */
  allows: AddressCheck;
  socket: Socket | undefined;
  lane: Lane | undefined;
}

/** The connections of one child process. */
export interface HostConnections {
  /** Ends those that no ledger of the child is named for any more. */
  review(): void;
  close(): void;
}

/**
 * Makes the connections that a child asks for: to what the ledgers name that are open in it, where the outbound guard
 * lets them go, and nowhere else.
 * @param fault called when the child breaks the rules; it is to be ended then
 * @param denied called for each place that it asked for and may not reach
 */
export function serveConnections(
  stream: Duplex,
  endpoints: Endpoints,
  fault: (detail: string) => void,
  denied: (place: string, why: DenialReason) => void,
): HostConnections {
  const connections = new Map<number, Connection>();
  const waiting = new Set<number>();
  /** Questions to the resolver, of which there are few at once. */
  const asked = new Map<string, Promise<LookupAddress[]>>();
  let questions = 0;
  /** The last number that the child gave: each stands for one thing, also after that has ended. */
  let last = -1;
  let closed = false;

  const write = openLink(stream, { message: receive, fault: (detail) => fault(`it sent ${detail}`) });
  const send: typeof write = (message) => {
    write(message);
    if (stream.writableLength > mostUnread) fault('it does not read what its connections bring');
  };
  const refuse = (id: number, code: string) => send({ t: 'failed', id, code });

  function receive(value: unknown): void {
    if (closed) return;
    const parsed = fromChild.safeParse(value);
    if (!parsed.success) {
      fault('it sent a message about connections of no known form');
      return;
    }
    const message = parsed.data;
    if (message.t === 'resolve' || message.t === 'connect') {
      if (message.id <= last) {
        fault(message.t === 'connect' ? 'it opened a connection twice' : 'it asked for a name twice');
        return;
      }
      last = message.id;
    }
    switch (message.t) {
      case 'resolve':
        void resolve(message.id, message.host);
        break;
      case 'connect':
        open(message);
        break;
      case 'failed':
        // It gave the connection up.
        end(message.id);
        break;
      default: {
        // One that is gone may be spoken of until the child hears of it.
        const lane = connections.get(message.id)?.lane;
        if (lane !== undefined && !lane.receive(message))
          fault('it sent more over a connection than was taken');
      }
    }
  }

  async function resolve(id: number, host: string): Promise<void> {
    if (!endpoints.knows(host)) {
      denied(host, 'not-named');
      refuse(id, 'ENOTFOUND');
      return;
    }
    if (questions >= mostWaiting) {
      fault('it asks for names without end');
      return;
    }
    questions += 1;
    try {
      const addresses = await ask(host);
      if (closed) return;
      for (const { address } of addresses) endpoints.learn(host, address);
      send({ t: 'resolved', id, addresses });
    } catch (error) {
      if (!closed) refuse(id, codeOf(error));
    } finally {
      questions -= 1;
    }
  }

  function ask(written: string): Promise<LookupAddress[]> {
    const host = plainHost(written);
    const known = asked.get(host);
    if (known !== undefined) return known;
    const answer = lookup(host, { all: true });
    asked.set(host, answer);
    const done = () => asked.delete(host);
    answer.then(done, done);
    return answer;
  }

  const resolver: Resolve = (host, _options, callback) => {
    ask(host).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  function open({ id, host, port }: { id: number; host: string; port: number }): void {
    const allows = endpoints.check(host, port);
    const isClosed = allows === undefined || (isIP(host) !== 0 && !allows(host));
    if (isClosed) denied(placeOf(host, port), allows === undefined ? 'not-named' : 'not-opened');
    if (isClosed || connections.size >= mostConnections + mostWaiting) {
      refuse(id, allows === undefined ? 'EACCES' : isClosed ? 'EOUTBOUND' : 'EMFILE');
      return;
    }
    connections.set(id, { host, port, allows, socket: undefined, lane: undefined });
    waiting.add(id);
    startWaiting();
  }

  function startWaiting(): void {
    for (const id of waiting) {
      if (connections.size - waiting.size >= mostConnections) return;
      waiting.delete(id);
      const connection = connections.get(id);
      if (connection !== undefined) start(id, connection);
    }
  }

  function start(id: number, connection: Connection): void {
    const { host, port, allows } = connection;
    const socket = connect({
      host: plainHost(host),
      port,
      lookup: guardedLookup(allows, resolver),
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
      const lane = new Lane(id, send);
      connection.lane = lane;
      lane.once('error', () => undefined);
      socket.pipe(lane).pipe(socket);
      send({ t: 'connected', id, address, port: remotePort ?? port, family: remoteFamily ?? 'IPv4' });
    });
    socket.once('error', (error) => {
      failure ??= codeOf(error);
    });
    socket.once('close', () => {
      if (connections.get(id) !== connection) return;
      const { lane } = connection;
      if (failure === undefined && lane?.destroyed === false) {
        // Bytes from before the end are still on their way.
        lane.once('close', () => end(id));
        return;
      }
      if (failure === 'EOUTBOUND') denied(placeOf(host, port), 'not-opened');
      if (failure !== undefined || lane === undefined) refuse(id, failure ?? 'ECONNRESET');
      end(id);
    });
  }

  function end(id: number): void {
    const connection = connections.get(id);
    connections.delete(id);
    waiting.delete(id);
    connection?.lane?.destroy();
    connection?.socket?.destroy();
    if (!closed) startWaiting();
  }

  return {
    review() {
      for (const [id, { host, port }] of connections) {
        if (endpoints.check(host, port) !== undefined) continue;
        end(id);
        refuse(id, 'ECONNABORTED');
      }
    },
    close() {
      closed = true;
      for (const id of connections.keys()) end(id);
      stream.destroy();
    },
  };
}

const placeOf = (host: string, port: number) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // Of several addresses none could be reached: the first says why.
  if (code === '' && error instanceof AggregateError) return codeOf(error.errors[0]);
  return code === '' ? 'ECONNRESET' : code;
}

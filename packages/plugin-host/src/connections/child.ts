import { randomBytes } from 'node:crypto';
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net, { type NetConnectOpts, type Server, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { type ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { Lane, type LinkMessage, openLink } from './link.ts';

/** The host's response to a `resolve` or `connect` request. */
type Answer = LinkMessage & { t: 'resolved' | 'connected' };
type Connected = Answer & { t: 'connected' };

/** A connection that the host is opening or has opened. */
interface Outgoing {
  answer: PromiseWithResolvers<Answer>;
  lane: Lane;
  /** The module's socket, if it exists already. */
  socket: Socket | undefined;
}

/** Calls that can fail, with the names that Node's errors use. */
type Call =
  | { readonly syscall: 'getaddrinfo'; readonly hostname: string }
  | { readonly syscall: 'connect'; readonly address: string; readonly port?: number }
  | { readonly syscall: 'read' };

/**
 * Returns a failure in Node's form: `connect ECONNREFUSED 127.0.0.1:8545`, with the members that programs
 * read.
 */
function failure(code: string, call: Call): Error {
  const place = destinationOf(call);
  return Object.assign(new Error(`${call.syscall} ${code}${place}`), { code, ...call });
}

function destinationOf(call: Call): string {
  if (call.syscall === 'read') return '';
  if (call.syscall === 'getaddrinfo') return ` ${call.hostname}`;
  return call.port === undefined ? ` ${call.address}` : ` ${call.address}:${call.port}`;
}

/**
 * Routes TCP connections and name lookups of this process through the host: `net`, and with it `tls`, `http`,
 * `fetch` and everything that uses them. Ordinary modules work unchanged. Hostile modules cannot bypass this,
 * because the process has no other network access.
 */
export function connectThroughHost(stream: Duplex): void {
  const link = new HostLink(stream);
  routeLookups(link);
  routeConnections(link);
  routeTls();
  syncBuiltinESMExports();
}

/** Requests connections and lookups from the host. Stores the open and the unanswered ones by id. */
class HostLink {
  readonly #outgoing = new Map<number, Outgoing>();
  #next = 1;
  readonly #send;

  constructor(stream: Duplex) {
    this.#send = openLink(stream, {
      // The host's messages are trusted.
      message: (message) => this.#receive(message as LinkMessage),
      fault: () => process.exit(1),
    });
  }

  async ask(question: (id: number) => LinkMessage, call: Call, whole: (one: Outgoing) => void) {
    const id = this.#next;
    this.#next += 1;
    const one: Outgoing = {
      answer: Promise.withResolvers(),
      lane: new Lane(id, this.#send),
      socket: undefined,
    };
    this.#outgoing.set(id, one);
    one.lane.once('error', () => undefined);
    one.lane.once('close', () => {
      // Reports a canceled connection to the host. If both directions have ended, the host knows already.
      const isDone = one.lane.writableFinished && one.lane.readableEnded;
      if (this.#outgoing.delete(id) && !isDone) this.#send({ t: 'failed', id, code: 'ECONNABORTED' });
    });
    whole(one);
    this.#send(question(id));
    try {
      return await one.answer.promise;
    } catch (error) {
      throw failure(error instanceof Error ? error.message : 'ECONNRESET', call);
    }
  }

  async resolve(host: string): Promise<LookupAddress[]> {
    const family = net.isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const answer = await this.ask(
      (id) => ({ t: 'resolve', id, host }),
      { syscall: 'getaddrinfo', hostname: host },
      () => undefined,
    );
    return answer.t === 'resolved' ? answer.addresses : [];
  }

  #receive(message: LinkMessage): void {
    const one = this.#outgoing.get(message.id);
    if (one === undefined) return;
    switch (message.t) {
      case 'resolved':
        this.#outgoing.delete(message.id);
        one.answer.resolve(message);
        break;
      case 'connected':
        one.answer.resolve(message);
        break;
      case 'failed':
        this.#outgoing.delete(message.id);
        one.answer.reject(new Error(message.code));
        one.socket?.destroy(failure(message.code, { syscall: 'read' }));
        one.lane.destroy();
        break;
      case 'data':
      case 'took':
      case 'end':
        one.lane.receive(message);
    }
  }
}

// Keeps the options of dns.lookup that affect the answer. The other options affect the query, which the host
// decides.
type LookupOptions = { family?: number | 'IPv4' | 'IPv6'; all?: boolean };
type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;

/** Replaces `dns.lookup`. */
function routeLookups(link: HostLink): void {
  async function lookup(host: string, given: number | LookupOptions = {}) {
    const { family, all } = typeof given === 'number' ? { family: given, all: false } : given;
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    const found = (await link.resolve(host)).filter((one) => wanted === 0 || one.family === wanted);
    const [first] = found;
    if (first === undefined) throw failure('ENOTFOUND', { syscall: 'getaddrinfo', hostname: host });
    return all === true ? found : first;
  }

  const lookupWithCallback = (host: string, ...rest: [Callback] | [number | LookupOptions, Callback]) => {
    const [given, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
    lookup(host, given).then(
      (found) =>
        process.nextTick(() =>
          Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family),
        ),
      (error: Error) => process.nextTick(() => callback(error)),
    );
  };
  Object.defineProperty(lookupWithCallback, promisify.custom, { value: lookup });
  Reflect.set(dns, 'lookup', lookupWithCallback);
  Reflect.set(dns.promises, 'lookup', lookup);
}

/** Replaces `connect` of sockets. */
function routeConnections(link: HostLink): void {
  const plainConnect = net.Socket.prototype.connect;

  /** Returns a socket's destination: its name, or the result of its own `lookup`. */
  async function destinations({
    host = 'localhost',
    lookup: own,
    ...rest
  }: TcpNetConnectOpts): Promise<string[]> {
    if (own === undefined || net.isIP(host) !== 0) return [host];
    const { family = 0, hints = 0 } = rest;
    return new Promise((done, fail) => {
      own(host, { family, hints, all: true }, (error, addresses) => {
        if (error !== null) fail(error);
        else done(Array.isArray(addresses) ? addresses.map(({ address }) => address) : [addresses]);
      });
    });
  }

  async function connectSocket(socket: Socket, options: TcpNetConnectOpts): Promise<void> {
    let last: unknown;
    for (const host of await destinations(options)) {
      if (socket.destroyed) return;
      const port = Number(options.port);
      let one: Outgoing | undefined;
      const giveUp = () => one?.lane.destroy();
      socket.once('close', giveUp);
      try {
        const question = (id: number) => ({ t: 'connect' as const, id, host, port });
        const answer = await link.ask(question, { syscall: 'connect', address: host, port }, (made) => {
          one = made;
        });
        if (one === undefined || answer.t !== 'connected') return;
        if (socket.destroyed) giveUp();
        else await join(socket, one, answer);
        return;
      } catch (error) {
        socket.removeListener('close', giveUp);
        last = error;
      }
    }
    throw last;
  }

  /**
   * Gives the module a real socket: one end of a pipe inside this process. The other end is relayed to the
   * host.
   */
  async function join(socket: Socket, one: Outgoing, { address, port, family }: Connected): Promise<void> {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true });
    server.maxConnections = 1;
    await listening(server);
    if (socket.destroyed) {
      server.close();
      return;
    }
    one.socket = socket;
    server.once('connection', (inner) => {
      server.close();
      inner.once('error', () => one.lane.destroy());
      // If both directions have ended, there is nothing to report.
      inner.once('close', () => {
        if (!one.lane.readableEnded || !one.lane.writableFinished) one.lane.destroy();
      });
      one.lane.once('close', () => inner.destroySoon());
      inner.pipe(one.lane).pipe(inner);
    });
    socket.once('close', () => server.close());
    // Prevents Node from resetting the socket again when it connects, because this would lose an earlier
    // `end()`.
    Reflect.set(socket, '_undestroy', () => undefined);
    Reflect.apply(plainConnect, socket, [placeOf(server)]);
    Reflect.deleteProperty(socket, '_undestroy');
    const handle: unknown = Reflect.get(socket, '_handle');
    if (typeof handle !== 'object' || handle === null) return;
    // Reports the destination's address instead of the pipe's.
    Reflect.set(handle, 'getpeername', (out: object) => {
      Object.assign(out, { address, port, family });
      return 0;
    });
  }

  function connectAny(this: Socket, ...args: unknown[]): Socket {
    const [options, callback] = normalised(args);
    // A closed socket may connect again.
    Reflect.apply(Reflect.get(this, '_undestroy'), this, []);
    if (callback !== null) this.once('connect', callback);
    Reflect.set(this, 'connecting', true);
    if ('path' in options && typeof options.path === 'string') {
      process.nextTick(() =>
        this.destroy(failure('EACCES', { syscall: 'connect', address: String(options.path) })),
      );
      return this;
    }
    // Without a path, it is a TCP connection.
    connectSocket(this, options as TcpNetConnectOpts).catch((error: Error) => this.destroy(error));
    return this;
  }
  Reflect.set(net.Socket.prototype, 'connect', connectAny);
}

/** Replaces `tls.connect`, so that TLS sockets also connect through the host. */
function routeTls(): void {
  const plainTls = tls.connect;
  Reflect.set(tls, 'connect', (...args: unknown[]) => {
    const [made, callback] = normalised(args);
    const more = args.find((arg, index) => index > 0 && typeof arg === 'object' && arg !== null);
    const options: ConnectionOptions = { ...made, ...(more ?? {}) };
    const done = callback ?? undefined;
    if (typeof options.path === 'string') return plainTls(options, done);
    // The timeout applies to the TLS socket only.
    const { timeout, ...others } = options;
    const socket = options.socket ?? net.connect(others as NetConnectOpts);
    const secure = plainTls({ ...others, socket }, done);
    for (const name of ['remoteAddress', 'remotePort', 'remoteFamily']) {
      Object.defineProperty(secure, name, { configurable: true, get: () => Reflect.get(socket, name) });
    }
    return timeout === undefined ? secure : secure.setTimeout(timeout);
  });
}

/** Normalizes the arguments of `connect`. */
function normalised(args: unknown[]): [options: NetConnectOpts, callback: (() => void) | null] {
  // net.connect passes arguments that it has normalized itself.
  const [first] = args;
  if (Array.isArray(first)) return first as [NetConnectOpts, (() => void) | null];
  return Reflect.apply(Reflect.get(net, '_normalizeArgs'), net, [args]);
}

/**
 * Listens on a local socket. On Linux, its name exists only in this process's network namespace; on other
 * systems, it is on the loopback interface.
 */
function listening(server: Server): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    if (process.platform === 'linux') server.listen(`\0${randomBytes(16).toString('hex')}`, done);
    else server.listen(0, '127.0.0.1', done);
  });
}

function placeOf(server: Server): NetConnectOpts {
  const address = server.address();
  if (typeof address === 'string') return { path: address };
  return { host: '127.0.0.1', port: address?.port ?? 0 };
}

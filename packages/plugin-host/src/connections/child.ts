import { randomBytes } from 'node:crypto';
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net, { type NetConnectOpts, type Server, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { type ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { Lane, type LinkMessage, openLink } from './link.ts';

/** How the host answered. */
type Answer = LinkMessage & { t: 'resolved' | 'connected' };
type Connected = Answer & { t: 'connected' };

/** A connection that the host makes, or made. */
interface Outgoing {
  answer: PromiseWithResolvers<Answer>;
  lane: Lane;
  /** The socket that the module sees, once there is one. */
  socket: Socket | undefined;
}

/** Calls that can fail, as Node's errors name them. */
type Call =
  | { readonly syscall: 'getaddrinfo'; readonly hostname: string }
  | { readonly syscall: 'connect'; readonly address: string; readonly port?: number }
  | { readonly syscall: 'read' };

/** A failure as Node makes it: `connect ECONNREFUSED 127.0.0.1:8545`, with the members that programs read. */
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
 * From now on TCP connections and names of this process are the host's: `net`, and with it `tls`, `http`, `fetch` and
 * everything that is built on them. This is for modules that mean well; what holds the others is that there is no other
 * network here.
 */
export function connectThroughHost(stream: Duplex): void {
  const outgoing = new Map<number, Outgoing>();
  let next = 1;
  const send = openLink(stream, {
    // The host is trusted: it wrote what it says.
    message: (message) => receive(message as LinkMessage),
    fault: () => process.exit(1),
  });

  function receive(message: LinkMessage): void {
    const one = outgoing.get(message.id);
    if (one === undefined) return;
    switch (message.t) {
      case 'resolved':
        outgoing.delete(message.id);
        one.answer.resolve(message);
        break;
      case 'connected':
        one.answer.resolve(message);
        break;
      case 'failed':
        outgoing.delete(message.id);
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

  async function ask(question: (id: number) => LinkMessage, call: Call, whole: (one: Outgoing) => void) {
    const id = next;
    next += 1;
    const one: Outgoing = { answer: Promise.withResolvers(), lane: new Lane(id, send), socket: undefined };
    outgoing.set(id, one);
    one.lane.once('error', () => undefined);
    one.lane.once('close', () => {
      // Whoever gives it up says so; when both ways have ended the other side knows.
      const isDone = one.lane.writableFinished && one.lane.readableEnded;
      if (outgoing.delete(id) && !isDone) send({ t: 'failed', id, code: 'ECONNABORTED' });
    });
    whole(one);
    send(question(id));
    try {
      return await one.answer.promise;
    } catch (error) {
      throw failure(error instanceof Error ? error.message : 'ECONNRESET', call);
    }
  }

  async function resolve(host: string): Promise<LookupAddress[]> {
    const family = net.isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const answer = await ask(
      (id) => ({ t: 'resolve', id, host }),
      { syscall: 'getaddrinfo', hostname: host },
      () => undefined,
    );
    return answer.t === 'resolved' ? answer.addresses : [];
  }

  // The part of dns.lookup that answers; options other than these say how to ask, which is the host's affair.
  type LookupOptions = { family?: number | 'IPv4' | 'IPv6'; all?: boolean };
  async function lookup(host: string, given: number | LookupOptions = {}) {
    const { family, all } = typeof given === 'number' ? { family: given, all: false } : given;
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    const found = (await resolve(host)).filter((one) => wanted === 0 || one.family === wanted);
    const [first] = found;
    if (first === undefined) throw failure('ENOTFOUND', { syscall: 'getaddrinfo', hostname: host });
    return all === true ? found : first;
  }

  type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;
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

  const plainConnect = net.Socket.prototype.connect;

  /** Where a socket wants to go: by the name, or what its own `lookup` made of that. */
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
        const answer = await ask(question, { syscall: 'connect', address: host, port }, (made) => {
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

  /** A real socket for the module: the other end of a pipe inside this process, which goes on over the host. */
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
      // An end without an error has been told.
      inner.once('close', () => {
        if (!one.lane.readableEnded || !one.lane.writableFinished) one.lane.destroy();
      });
      one.lane.once('close', () => inner.destroySoon());
      inner.pipe(one.lane).pipe(inner);
    });
    socket.once('close', () => server.close());
    // Node makes a socket as new when it is connected, which was done: an `end()` since then is not to be forgotten.
    Reflect.set(socket, '_undestroy', () => undefined);
    Reflect.apply(plainConnect, socket, [placeOf(server)]);
    Reflect.deleteProperty(socket, '_undestroy');
    const handle: unknown = Reflect.get(socket, '_handle');
    if (typeof handle !== 'object' || handle === null) return;
    // As a connection over TCP says it.
    Reflect.set(handle, 'getpeername', (out: object) => {
      Object.assign(out, { address, port, family });
      return 0;
    });
  }

  function connectAny(this: Socket, ...args: unknown[]): Socket {
    const [options, callback] = normalised(args);
    // A socket that was closed may connect again.
    Reflect.apply(Reflect.get(this, '_undestroy'), this, []);
    if (callback !== null) this.once('connect', callback);
    Reflect.set(this, 'connecting', true);
    if ('path' in options && typeof options.path === 'string') {
      process.nextTick(() =>
        this.destroy(failure('EACCES', { syscall: 'connect', address: String(options.path) })),
      );
      return this;
    }
    // Without a path it is TCP.
    connectSocket(this, options as TcpNetConnectOpts).catch((error: Error) => this.destroy(error));
    return this;
  }
  Reflect.set(net.Socket.prototype, 'connect', connectAny);

  const plainTls = tls.connect;
  Reflect.set(tls, 'connect', (...args: unknown[]) => {
    const [made, callback] = normalised(args);
    const more = args.find((arg, index) => index > 0 && typeof arg === 'object' && arg !== null);
    const options: ConnectionOptions = { ...made, ...(more ?? {}) };
    const done = callback ?? undefined;
    if (typeof options.path === 'string') return plainTls(options, done);
    // Its own timeout is the TLS socket's.
    const { timeout, ...others } = options;
    const socket = options.socket ?? net.connect(others as NetConnectOpts);
    const secure = plainTls({ ...others, socket }, done);
    for (const name of ['remoteAddress', 'remotePort', 'remoteFamily']) {
      Object.defineProperty(secure, name, { configurable: true, get: () => Reflect.get(socket, name) });
    }
    return timeout === undefined ? secure : secure.setTimeout(timeout);
  });
  syncBuiltinESMExports();
}

/** Arguments of `connect` in their one form. */
function normalised(args: unknown[]): [options: NetConnectOpts, callback: (() => void) | null] {
  // net.connect hands over what it has normalised itself.
  const [first] = args;
  if (Array.isArray(first)) return first as [NetConnectOpts, (() => void) | null];
  return Reflect.apply(Reflect.get(net, '_normalizeArgs'), net, [args]);
}

/** On Linux by a name that only this process's network has; elsewhere on the loopback interface. */
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

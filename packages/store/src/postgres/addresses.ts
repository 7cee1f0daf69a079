import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The addresses of a host name, such as those of the pods behind a headless service. One of them is the primary.
 *
 * Contains the number of addresses at the last lookup, and which of them connections try first.
 */
export class Addresses {
  #count = 1;
  #first = 0;

  get count(): number {
    return this.#count;
  }

  /** Lets later connections start with the next address. */
  skip(): void {
    this.#first += 1;
  }

  /**
   * Returns a function that opens the sockets of connections to a host. Undefined if the host is an address or a Unix
   * socket.
   */
  streamOf(host: string | undefined): (() => Duplex) | undefined {
    if (host === undefined || host.startsWith('/') || isIP(host) !== 0) return undefined;
    return () => new NamedHostSocket(this.#lookup);
  }

  readonly #lookup: LookupFunction = (name, options, done) => {
    const all: LookupAllOptions = { ...options, all: true };
    lookup(name, all, (error, found) => {
      if (error) return done(error, []);
      this.#count = found.length;
      const sorted = this.#sorted(found);
      const [only] = sorted;
      if (options.all === true || only === undefined) done(null, sorted);
      else done(null, only.address, only.family);
    });
  };

  #sorted(found: readonly LookupAddress[]): LookupAddress[] {
    const at = this.#first % found.length;
    return [...found.slice(at), ...found.slice(0, at)];
  }
}

/** A socket that resolves the name of its host with a given function. */
class NamedHostSocket extends Socket {
  readonly #lookup: LookupFunction;

  constructor(lookup: LookupFunction) {
    super();
    this.#lookup = lookup;
  }

  // The driver passes a port and a host.
  override connect(...[port, host]: unknown[]): this {
    return super.connect({ port: Number(port), host: String(host), lookup: this.#lookup });
  }
}

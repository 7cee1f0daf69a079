import { connect, type Socket } from 'node:net';

/**
 * Maximum number of bytes that a mail server may send for one mail: its certificates and short responses. nodemailer
 * limits the length of a response, but not the number of responses or of empty lines. The time for its queue of empty
 * lines grows with their square: 2 s for 65,536 of them, 0.5 s for half as many.
 */
const mostReceived = 32_768;
/**
 * Time limit for sending one mail, as a multiple of `timeout`. nodemailer applies `timeout` only to
 * each step and each idle period, which does not limit the total.
 */
const timeoutsPerMail = 6;
/**
 * Interval at which received bytes are counted. Bytes are sampled, because encrypted ones do not pass through
 * JavaScript before TLS decrypts them. The interval is short, because nodemailer queues every empty line that
 * a server sends. It processes one line per turn of the event loop, even after the connection has ended.
 */
const sampleEveryMs = 1;

/** A mail server took too long or sent too much. The error has nodemailer's codes. */
class MailServerError extends Error {
  override readonly name = 'MailServerError';
  readonly code: 'ETIMEDOUT' | 'EPROTOCOL';

  constructor(code: MailServerError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection for one mail, with limits of time and received bytes. The owner must call `close`. */
export class BoundedSocket {
  /** Why this side ended the connection. */
  failure: MailServerError | undefined;
  #socket: Socket | undefined;
  readonly #deadline: NodeJS.Timeout;
  readonly #sampler: NodeJS.Timeout;

  /** @param timeout time limit for one step, in milliseconds */
  constructor(timeout: number) {
    const limit = timeout * timeoutsPerMail;
    this.#deadline = setTimeout(() => {
      this.#fail('ETIMEDOUT', `The mail server did not accept the mail within ${limit} ms.`);
    }, limit);
    this.#sampler = setInterval(() => this.#count(), sampleEveryMs);
  }

  /** The `getSocket` of nodemailer. */
  open(
    { host, port }: { host?: string | undefined; port?: number | string | undefined },
    callback: (error: Error | null, opened?: { connection: Socket }) => void,
  ): void {
    const socket = connect({ host: host ?? '', port: Number(port) });
    this.#socket = socket;
    const push = socket.push.bind(socket);
    // `push` is not called for bytes that TLS reads. The sampler counts those.
    socket.push = (chunk, encoding) => {
      this.#count();
      return !socket.destroyed && push(chunk, encoding);
    };
    // This listener remains when nodemailer removes its own listeners after STARTTLS.
    socket.on('error', (error) => callback(error));
    socket.once('connect', () => callback(null, { connection: socket }));
  }

  close(): void {
    clearTimeout(this.#deadline);
    clearInterval(this.#sampler);
    this.#socket?.destroy();
  }

  #count(): void {
    if ((this.#socket?.bytesRead ?? 0) <= mostReceived) return;
    this.#fail('EPROTOCOL', `The mail server sent more than ${mostReceived} bytes.`);
  }

  #fail(code: MailServerError['code'], message: string): void {
    this.failure ??= new MailServerError(code, message);
    this.#socket?.destroy(this.failure);
  }
}

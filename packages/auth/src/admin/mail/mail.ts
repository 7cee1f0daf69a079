import { constants, randomBytes } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_CIPHERS } from 'node:tls';
import type { Secret } from '@ledger-ops/base';
import { BoundedSocket } from './bounded-socket.ts';
import { mailHtml } from './mail-html.ts';

/** A mail to one recipient. Mail servers also receive the text as HTML. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The secret link in the text, if the link opens an account. */
  readonly link?: string | undefined;
}

export interface MailTransport {
  /**
   * Resolves when the mail server has accepted the message.
   * @throws if the server did not accept it
   */
  send(message: MailMessage): Promise<void>;
  close(): Promise<void>;
}

/** The mail server, and how to connect to it. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (port 465); otherwise STARTTLS if the server offers it. */
  readonly secure?: boolean;
  /** Refuses a server that does not offer STARTTLS. Default: true if a password is sent. */
  readonly requireTls?: boolean;
  readonly user?: string;
  readonly password?: Secret;
  /** Sender, `Name <address>` or an address. */
  readonly from: string;
  /**
   * Milliseconds for connecting, for the greeting and for each response; default 10,000. A mail may take six
   * times as long.
   */
  readonly timeout?: number;
  /** Certificates (PEM) trusted in addition to the default ones. */
  readonly ca?: string;
}

/**
 * Excludes finite-field Diffie-Hellman. The server chooses its modulus, and a huge one makes a handshake take
 * a second.
 */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** Mail over SMTP, with one connection per mail. nodemailer is loaded with the first message. */
export function smtpTransport(options: SmtpOptions): MailTransport {
  const { host, port, secure = false, user, password, from, timeout = 10_000, ca } = options;
  const auth = user === undefined || password === undefined ? undefined : { user, pass: password.reveal() };
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await import('nodemailer');
      const bounded = new BoundedSocket(timeout);
      const transport = createTransport({
        host,
        port,
        secure,
        requireTLS: options.requireTls ?? (auth !== undefined && !secure),
        ...(auth === undefined ? {} : { auth }),
        tls: {
          ciphers,
          secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
          ...(ca === undefined ? {} : { ca }),
        },
        connectionTimeout: timeout,
        greetingTimeout: timeout,
        socketTimeout: timeout,
        // Prevents message content from making nodemailer read files or fetch URLs.
        disableFileAccess: true,
        disableUrlAccess: true,
        getSocket: bounded.open.bind(bounded),
      });
      try {
        const html = mailHtml({ subject, text });
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html });
      } catch (error) {
        throw bounded.failure ?? error;
      } finally {
        bounded.close();
        transport.close();
      }
    },
    async close() {},
  };
}

/** A folder for .eml files, for installations without a mail server. */
export interface FolderOptions {
  readonly folder: string;
  /** Sender, `Name <address>` or an address. */
  readonly from: string;
  /** Called for each file written, with its message. */
  readonly onWritten?: (file: string, message: MailMessage) => void;
}

/**
 * Writes each mail into a file that only its owner may read, because its link may open an account. The body
 * is not encoded, so that a link can be copied from the file.
 */
export function folderTransport({ folder, from, onWritten }: FolderOptions): MailTransport {
  return {
    async send(message) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${Date.now()}-${randomBytes(4).toString('hex')}.eml`;
      const file = await open(join(folder, `.${name}`), 'wx', 0o600);
      try {
        await file.writeFile(emlOf(from, message));
      } finally {
        await file.close();
      }
      // Renamed when complete, so that readers of the folder never see partial messages.
      await rename(join(folder, `.${name}`), join(folder, name));
      onWritten?.(join(folder, name), message);
    },
    async close() {},
  };
}

/** Returns a message with UTF-8 in its headers (RFC 6532) and an 8bit body. */
function emlOf(from: string, { to, subject, text }: MailMessage): string {
  const headers = {
    From: from,
    To: to,
    Subject: subject,
    Date: new Date().toUTCString().replace('GMT', '+0000'),
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  };
  const lines = Object.entries(headers).map(
    // A line break in a value would start another header.
    ([name, value]) => `${name}: ${value.replaceAll(/\p{Cc}+/gu, ' ')}`,
  );
  return [...lines, '', ...text.split('\n')].join('\r\n');
}

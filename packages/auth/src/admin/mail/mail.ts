import { randomBytes } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '@ledger-ops/base';

/** A mail to one person, plain text. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail. */
export interface MailTransport {
  /** Resolves when somebody else is responsible for the message. @throws when that failed */
  send(message: MailMessage): Promise<void>;
  close(): Promise<void>;
}

/** A mail server. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (port 465); else STARTTLS where the server offers it. */
  readonly secure?: boolean;
  /** Refuses a server that does not offer STARTTLS. Default: whenever a password is sent. */
  readonly requireTls?: boolean;
  readonly user?: string;
  readonly password?: Secret;
  /** Sender, `Name <address>` or an address. */
  readonly from: string;
  /** Milliseconds for connecting, greeting and each answer; default 10,000. */
  readonly timeout?: number;
  /** Certificates (PEM) that are trusted beside the usual ones. */
  readonly ca?: string;
}

/** Mail over SMTP. nodemailer is loaded with the first message. */
export function smtpTransport(options: SmtpOptions): MailTransport {
  const { host, port, secure = false, user, password, from, timeout = 10_000, ca } = options;
  const auth = user === undefined || password === undefined ? undefined : { user, pass: password.reveal() };
  const make = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port,
      secure,
      requireTLS: options.requireTls ?? (auth !== undefined && !secure),
      ...(auth === undefined ? {} : { auth }),
      ...(ca === undefined ? {} : { tls: { ca } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      // Nothing in a message may make us read files or fetch URLs.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: ReturnType<typeof make> | undefined;
  return {
    async send({ to, subject, text }) {
      transport ??= make();
      await (await transport).sendMail({ from, to: { name: '', address: to }, subject, text });
    },
    async close() {
      (await transport)?.close();
    },
  };
}

/** Mail into a folder of .eml files, for development: readable by their owner only, since links open accounts. */
export function folderTransport(folder: string, from: string): MailTransport {
  const make = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  };
  let transport: ReturnType<typeof make> | undefined;
  return {
    async send({ to, subject, text }) {
      transport ??= make();
      const { message } = await (await transport).sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${Date.now()}-${randomBytes(4).toString('hex')}.eml`;
      const file = await open(join(folder, `.${name}`), 'wx', 0o600);
      try {
        await file.writeFile(message);
      } finally {
        await file.close();
      }
      // Whoever watches the folder sees whole messages only.
      await rename(join(folder, `.${name}`), join(folder, name));
    },
    async close() {},
  };
}

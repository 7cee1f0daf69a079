import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';
import { ConfigError } from './config-error.ts';

/** Schema of a mail server URL. */
export const smtpUrl = z.string('must be text').refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '' &&
    (url.username === '') === (url.password === '') &&
    isDecodable(url.username) &&
    isDecodable(url.password)
  );
}, 'must be smtp://host:port or smtps://host:port, with user and password or neither');

/** Schema of a sender address. */
export const mailFrom = z
  .string('must be text')
  .max(300, 'must be at most 300 characters long')
  .regex(
    /^(?:[^<>\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u,
    'must be name@host or Name <name@host>',
  );

/** A mail server and the sender of mails. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Whether TLS is used from the start (`smtps`), instead of STARTTLS. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  readonly from: string;
}

/** Combines both settings. @throws ConfigError if the sender is missing */
export function smtpOf(url: string | undefined, from: string | undefined): SmtpSettings | undefined {
  if (url === undefined) return undefined;
  if (from === undefined)
    throw new ConfigError(
      'MAIL_FROM is required with SMTP_URL. Set it to the sender of mails, such as no-reply@example.com.',
    );
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    user: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : new Secret(decodeURIComponent(password)),
    from,
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

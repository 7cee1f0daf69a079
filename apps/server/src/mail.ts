import { join } from 'node:path';
import { folderTransport, type MailTransport, smtpTransport } from '@ledger-ops/auth';
import type { Log } from '@ledger-ops/runtime';
import type { ServerConfig } from './settings/config.ts';

/**
 * Sends mail through the configured mail server. Without one, mails are written to files in the data folder, and their
 * links to the log.
 */
export function mailTransport(
  { smtp, dataDir }: Pick<ServerConfig, 'smtp' | 'dataDir'>,
  log: Log,
): MailTransport {
  if (smtp === undefined) {
    return folderTransport({
      folder: join(dataDir, 'mail'),
      from: 'Ledger Operations <no-reply@localhost>',
      onWritten: (file, { to, link }) =>
        log('warn', 'mail.not-sent', {
          mail: file,
          address: to,
          link,
          detail:
            'No mail server is configured (SMTP_URL). Deliver the link yourself, and keep it secret: it gives access to the account.',
        }),
    });
  }
  const { user, password, ...server } = smtp;
  return smtpTransport({
    ...server,
    ...(user === undefined || password === undefined ? {} : { user, password }),
  });
}

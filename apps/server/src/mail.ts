import { join } from 'node:path';
import { folderTransport, type MailTransport, smtpTransport } from '@ledger-ops/auth';
import type { ServerConfig } from './settings/config.ts';

/** Where mail goes: to the configured server, or into files below the data folder. */
export function mailTransport({ smtp, dataDir }: Pick<ServerConfig, 'smtp' | 'dataDir'>): MailTransport {
  if (smtp === undefined) {
    return folderTransport(join(dataDir, 'mail'), 'Ledger Operations <no-reply@localhost>');
  }
  const { user, password, ...server } = smtp;
  return smtpTransport({
    ...server,
    ...(user === undefined || password === undefined ? {} : { user, password }),
  });
}

import { createClient, type LedgerClient } from '@ledger-ops/client';
import { CliError } from './errors.ts';
import type { Profile } from './profiles.ts';

/** @throws CliError for a URL that secrets may not go to */
export function clientOf(profile: Profile): LedgerClient {
  const { clientId, serviceAccount, apiToken, baseUrl, applicationToken, allowUnencrypted = false } = profile;
  try {
    return createClient({
      ...{ baseUrl, applicationToken, allowUnencrypted },
      credentials: { clientId, serviceAccount, apiToken },
    });
  } catch (error) {
    if (error instanceof TypeError)
      throw new CliError('usage', error.message, 'ledger-ops login --url https://…');
    throw error;
  }
}

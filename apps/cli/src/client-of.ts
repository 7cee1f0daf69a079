import { type Credentials, createClient, type LedgerClient } from '@ledger-ops/client';
import { CliError } from './errors.ts';
import { changeProfiles, type Profile, profileOf, readProfiles } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** Time before their expiry at which access tokens are refreshed. */
const expiryMarginMs = 30_000;

/**
 * @param name of the stored profile
 * @throws CliError if the URL would send secrets unencrypted
 */
export function clientOf(profile: Profile, name: string, terminal: Terminal): LedgerClient {
  const { baseUrl, applicationToken, allowUnencrypted = false } = profile;
  try {
    const credentials = credentialsOf(profile, name, terminal);
    return createClient({ baseUrl, applicationToken, allowUnencrypted, credentials });
  } catch (error) {
    if (error instanceof TypeError) {
      const message = error.message
        .replace(/^baseUrl/, 'The URL of the service')
        .replace('Set allowUnencrypted', 'Use --allow-unencrypted');
      throw new CliError('usage', message, 'ledger-ops login --url https://…');
    }
    throw error;
  }
}

function credentialsOf(profile: Profile, name: string, { environment, signal }: Terminal): Credentials {
  const { clientId } = profile;
  if ('apiToken' in profile) {
    const { serviceAccount, apiToken } = profile;
    return { clientId, serviceAccount, apiToken };
  }
  const kept = async () => {
    const known = profileOf(await readProfiles(environment), name);
    if (known !== undefined && 'person' in known) return known;
    throw new CliError('signIn', `The profile ${name} is signed out.`, `ledger-ops login --profile ${name}`);
  };
  const isUsable = ({ person }: { person: { accessToken: string; accessUntil: number } }, refused?: string) =>
    person.accessToken !== refused && Date.now() < person.accessUntil - expiryMarginMs;
  return {
    clientId,
    async accessToken(refused) {
      const known = await kept();
      if (isUsable(known, refused)) return known.person.accessToken;
      // Loaded only if needed, so that other commands start faster.
      const { refreshTokens } = await import('./browser-sign-in.ts');
      await changeProfiles(environment, async (profiles) => {
        // Another process may have refreshed the token in the meantime.
        const latest = await kept();
        if (isUsable(latest, refused)) return profiles;
        const person = await refreshTokens(latest, latest.person.refreshToken, signal);
        return { ...profiles, profiles: { ...profiles.profiles, [name]: { ...latest, person } } };
      });
      return (await kept()).person.accessToken;
    },
  };
}

import { type Credentials, createClient, type LedgerClient } from '@ledger-ops/client';
import { CliError } from './errors.ts';
import { changeProfiles, type Profile, profileOf, readProfiles } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds before its end in which a token is not used any more. */
const ahead = 30_000;

/**
 * @param name of the profile, where it is kept
 * @throws CliError for a URL that secrets may not go to
 */
export function clientOf(profile: Profile, name: string, terminal: Terminal): LedgerClient {
  const { baseUrl, applicationToken, allowUnencrypted = false } = profile;
  try {
    const credentials = credentialsOf(profile, name, terminal);
    return createClient({ baseUrl, applicationToken, allowUnencrypted, credentials });
  } catch (error) {
    if (error instanceof TypeError)
      throw new CliError('usage', error.message, 'ledger-ops login --url https://…');
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
    throw new CliError(
      'signIn',
      `Nobody is signed in as ${name} any more.`,
      `ledger-ops login --profile ${name}`,
    );
  };
  const isGood = ({ person }: { person: { accessToken: string; accessUntil: number } }, refused?: string) =>
    person.accessToken !== refused && Date.now() < person.accessUntil - ahead;
  return {
    clientId,
    async accessToken(refused) {
      const known = await kept();
      if (isGood(known, refused)) return known.person.accessToken;
      // Only people sign in by a browser.
      const { refreshTokens } = await import('./browser-sign-in.ts');
      await changeProfiles(environment, async (profiles) => {
        // Another program may have done it meanwhile.
        const latest = await kept();
        if (isGood(latest, refused)) return profiles;
        const person = await refreshTokens(latest, latest.person.refreshToken, signal);
        return { ...profiles, profiles: { ...profiles.profiles, [name]: { ...latest, person } } };
      });
      return (await kept()).person.accessToken;
    },
  };
}

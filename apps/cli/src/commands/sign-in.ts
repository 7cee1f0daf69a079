import { answer } from '@ledger-ops/client';
import { z } from 'zod';
import { clientOf } from '../client-of.ts';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import {
  type AccountProfile,
  changeProfiles,
  type PersonProfile,
  type Profile,
  type ProfileFile,
  profileOf,
  profileVariables,
  readProfiles,
} from '../profiles.ts';
import { readSecret, readText } from '../terminal.ts';

/** As servers write for their administrator, and the development server for everybody. */
const credentialFile = z
  .object({
    ...{
      baseUrl: z.string(),
      applicationToken: z.string(),
      clientId: z.string(),
      serviceAccount: z.string(),
    },
    ...{ apiToken: z.string().optional(), clientSecret: z.string().optional() },
  })
  .transform(({ apiToken, clientSecret, ...rest }) => ({
    ...rest,
    apiToken: apiToken ?? clientSecret ?? '',
  }));

/** @throws CliError */
async function readCredentials(file: string): Promise<AccountProfile> {
  const text = await readText(file);
  try {
    return credentialFile.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      'usage',
      `${file} holds no credentials: baseUrl, applicationToken, clientId, serviceAccount, apiToken.`,
    );
  }
}

export const signIn = [
  command({
    name: 'login',
    about: 'Signs in, and keeps the credentials as a profile.',
    more: `From the file that a server wrote for its administrator (administrator.json), or the development server for everybody (dev.json):
  ledger-ops login --file data/administrator.json
A person signs in by the browser, with an application that has the redirect URI http://127.0.0.1/callback:
  ledger-ops login --url https://ledger.example --client-id till-app
A service account is named besides. Tokens of the application and of the account are asked for on a terminal, else read from
${profileVariables.applicationToken} and ${profileVariables.apiToken}. The profile is a file for its owner alone.`,
    options: {
      file: {
        value: 'file',
        about: 'JSON file with baseUrl, applicationToken, clientId, serviceAccount and apiToken.',
      },
      url: { value: 'url', about: 'Base URL of the service.' },
      clientId: { value: 'id', about: 'Id of the application.' },
      serviceAccount: { value: 'id', about: 'Id of the service account; absent: a person, by the browser.' },
      noBrowser: { about: 'Opens no browser: prints the address, for one of this machine.' },
      applicationTokenFile: { value: 'file', about: 'File with the application token.' },
      apiTokenFile: { value: 'file', about: 'File with the API token; - is standard input.' },
      allowUnencrypted: {
        about: 'Takes http: to other places than this machine, where anybody on the way reads the tokens.',
      },
    },
    async run(context, given) {
      const { terminal, output, profileName } = context;
      const { file, url, allowUnencrypted } = given;
      const more = allowUnencrypted ? { allowUnencrypted } : {};
      const profile: Profile =
        file === undefined
          ? await askProfile(context, given, more)
          : { ...(await readCredentials(file)), ...(url && { baseUrl: url }), ...more };
      const name = await profileName();
      const keep = async () =>
        await changeProfiles(terminal.environment, ({ profiles }) => ({
          ...{ current: name, profiles: { ...profiles, [name]: profile } },
        }));
      // A person's tokens are there, and are kept: whoever asks by them looks there.
      if ('person' in profile) await keep();
      // Whoever gets a token is who they say.
      await clientOf(profile, name, terminal).http.GET('/v1/technologies');
      if ('apiToken' in profile) await keep();
      const { baseUrl } = profile;
      output.said(`Signed in at ${baseUrl} as ${whoOf(profile)}: profile ${name}.`, {
        ...{ profile: name, baseUrl, serviceAccount: 'apiToken' in profile ? profile.serviceAccount : null },
      });
    },
  }),
  command({
    name: 'logout',
    about: 'Forgets the credentials of a profile.',
    async run({ terminal, output, profileName }) {
      const name = await profileName();
      const profile = await removeProfile(terminal.environment, name);
      if ('person' in profile) {
        const { revokeTokens } = await import('../browser-sign-in.ts');
        await revokeTokens(profile, profile.person.refreshToken, terminal.signal).catch(() => {
          throw new CliError(
            'failed',
            `The tokens of the profile ${name} are forgotten here; the service could not be told, and takes them until they expire.`,
            'sign out everywhere in the console, or have the identity disabled',
          );
        });
        return output.said(`Signed out of the profile ${name}: its tokens are good no more.`, {
          profile: name,
        });
      }
      output.said(
        `The credentials of the profile ${name} are forgotten here. They are good until somebody disables them.`,
        { profile: name },
      );
    },
  }),
  command({
    name: 'whoami',
    about: 'Tells who you are to the service.',
    async run({ client, output, profile }) {
      const { baseUrl, clientId } = await profile();
      const me = await answer((await client()).http.GET('/v1/admin/me'));
      output.record({ ...me, application: clientId, service: baseUrl });
    },
  }),
  command({
    name: 'profile list',
    about: 'Lists the profiles.',
    async run({ terminal, output }) {
      const { current, profiles } = await readProfiles(terminal.environment);
      const rows = Object.entries(profiles).map(([profile, one]) => ({
        ...{ profile, baseUrl: one.baseUrl, serviceAccount: 'apiToken' in one ? one.serviceAccount : null },
        ...{ who: whoOf(one), clientId: one.clientId, isCurrent: profile === current },
      }));
      output.table(
        rows,
        {
          '': ({ isCurrent }) => (isCurrent ? '*' : ''),
          profile: ({ profile }) => profile,
          url: ({ baseUrl }) => baseUrl,
          who: ({ who }) => who,
          application: ({ clientId }) => clientId,
        },
        'There is no profile: ledger-ops login',
      );
    },
  }),
  command({
    name: 'profile use',
    about: 'Chooses the profile that commands use.',
    arguments: { name: { about: 'Name of the profile.' } },
    async run({ terminal, output }, { name }) {
      await changeProfiles(terminal.environment, (file) => {
        demandProfile(file, name);
        return { ...file, current: name };
      });
      output.said(`Commands use ${name} now.`, { profile: name });
    },
  }),
];

const whoOf = (profile: Profile) =>
  'apiToken' in profile ? profile.serviceAccount : 'a person, by the browser';

/** @throws CliError where there is none */
function demandProfile(file: ProfileFile, name: string): Profile {
  const profile = profileOf(file, name);
  if (profile === undefined)
    throw new CliError('usage', `There is no profile ${name}.`, 'ledger-ops profile list');
  return profile;
}

/** @throws CliError where there is none */
async function removeProfile(
  environment: Context['terminal']['environment'],
  name: string,
): Promise<Profile> {
  const removed = demandProfile(await readProfiles(environment), name);
  await changeProfiles(environment, ({ current, profiles: { [name]: _, ...others } }) => ({
    current: current === name ? (Object.keys(others)[0] ?? 'default') : current,
    profiles: others,
  }));
  return removed;
}

/** Of an account by its tokens, of a person by the browser. @throws CliError */
async function askProfile(
  { terminal }: Context,
  given: {
    readonly url: string | undefined;
    readonly clientId: string | undefined;
    readonly serviceAccount: string | undefined;
    readonly applicationTokenFile: string | undefined;
    readonly apiTokenFile: string | undefined;
    readonly noBrowser: boolean;
  },
  more: { readonly allowUnencrypted?: boolean },
): Promise<AccountProfile | PersonProfile> {
  const { url, clientId, serviceAccount } = given;
  const missing = Object.entries({ '--url': url, '--client-id': clientId })
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  if (url === undefined || clientId === undefined) {
    const next = 'ledger-ops login --file <file>, or both';
    throw new CliError('usage', `${missing.join(', ')} is missing.`, next);
  }
  const applicationToken = await readSecret(terminal, {
    ...{ name: `Token of the application ${clientId}`, variable: profileVariables.applicationToken },
    ...{ option: '--application-token-file', file: given.applicationTokenFile },
  });
  const place = { baseUrl: url.replace(/\/+$/, ''), clientId, applicationToken, ...more };
  if (serviceAccount !== undefined) {
    const apiToken = await readSecret(terminal, {
      ...{ name: `API token of ${serviceAccount}`, variable: profileVariables.apiToken },
      ...{ option: '--api-token-file', file: given.apiTokenFile },
    });
    return { ...place, serviceAccount, apiToken };
  }
  // Refuses what secrets may not go to.
  clientOf({ ...place, serviceAccount: '', apiToken: '' }, '', terminal);
  const { signInByBrowser } = await import('../browser-sign-in.ts');
  return { ...place, person: await signInByBrowser(place, { opens: !given.noBrowser, terminal }) };
}

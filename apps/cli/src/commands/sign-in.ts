import { answer, type LedgerClient, ProblemError } from '@ledger-ops/client';
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

/** Content of `administrator.json` and `dev.json`, which servers write. */
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
      `${file} has no credentials. It must contain baseUrl, applicationToken, clientId, serviceAccount and apiToken.`,
    );
  }
}

export const signIn = [
  command({
    name: 'login',
    about: 'Signs in, and stores the credentials as a profile.',
    more: `With the file that a server wrote for its administrator (administrator.json), or the file of a development server (dev.json):
  ledger-ops login --file data/administrator.json
A person signs in through the browser, with an application that has the redirect URI http://127.0.0.1/callback:
  ledger-ops login --url https://ledger.example --client-id till-app
For a service account, add --service-account. The tokens of the application and the account are prompted for on a terminal, otherwise read from
${profileVariables.applicationToken} and ${profileVariables.apiToken}. Only you can read the profile’s file.`,
    options: {
      file: {
        value: 'file',
        about: 'JSON file with baseUrl, applicationToken, clientId, serviceAccount and apiToken.',
      },
      url: { value: 'url', about: 'Base URL of the service.' },
      clientId: { value: 'id', about: 'Id of the application.' },
      serviceAccount: {
        value: 'id',
        about: 'Id of the service account. Default: a person signs in through the browser.',
      },
      noBrowser: { about: 'Prints the URL, to be opened on this machine, instead of opening a browser.' },
      applicationTokenFile: { value: 'file', about: 'File with the application token.' },
      apiTokenFile: { value: 'file', about: 'File with the API token; - for standard input.' },
      allowUnencrypted: {
        about: 'Allows http: to other machines, although others on the network can read the tokens.',
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
      // The selected profile stays selected, so that other commands keep acting on the same project.
      const keep = async (changed: Profile) =>
        await changeProfiles(terminal.environment, (stored) => ({
          current: profileOf(stored, stored.current) === undefined ? name : stored.current,
          profiles: { ...stored.profiles, [name]: changed },
        }));
      // Must be stored before the first request: the client reads a person's tokens from the profile.
      if ('person' in profile) await keep(profile);
      // Any request first gets an access token, so wrong credentials fail here.
      const ledger = clientOf(profile, name, terminal);
      await ledger.http.GET('/v1/technologies');
      const project = await projectOf(ledger, profile.clientId);
      // A person's tokens may have been replaced in the meantime.
      const latest = profileOf(await readProfiles(terminal.environment), name);
      await keep({ ...('person' in profile ? (latest ?? profile) : profile), ...(project && { project }) });
      const { baseUrl } = profile;
      const { current } = await readProfiles(terminal.environment);
      const place = project === undefined ? '' : `, project ${project}`;
      const selection =
        current === name
          ? ''
          : `\nCommands still use the profile ${current}. To use this one: ledger-ops profile use ${name}`;
      output.said(`Signed in at ${baseUrl} as ${whoOf(profile)}: profile ${name}${place}.${selection}`, {
        ...{ profile: name, baseUrl, serviceAccount: 'apiToken' in profile ? profile.serviceAccount : null },
        ...{ project: project ?? null, isCurrent: current === name },
      });
    },
  }),
  command({
    name: 'logout',
    about: 'Deletes the credentials of a profile.',
    async run({ terminal, output, profileName }) {
      const name = await profileName();
      const profile = await removeProfile(terminal.environment, name);
      if ('person' in profile) {
        const { revokeTokens } = await import('../browser-sign-in.ts');
        await revokeTokens(profile, profile.person.refreshToken, terminal.signal).catch(() => {
          throw new CliError(
            'failed',
            `The tokens of the profile ${name} were deleted on this machine, but the service did not answer, so they stay valid until they expire.`,
            'sign out everywhere in the console, or ask an administrator to disable the identity',
          );
        });
        return output.said(`Signed out of the profile ${name}: its tokens are no longer valid.`, {
          profile: name,
        });
      }
      output.said(
        `Deleted the credentials of the profile ${name} on this machine. They stay valid until an administrator disables them.`,
        { profile: name },
      );
    },
  }),
  command({
    name: 'whoami',
    about: 'Shows your identity on the service, and the project that commands act on.',
    async run({ client, output, profile }) {
      const { baseUrl, clientId } = await profile();
      const ledger = await client();
      const me = await answer(ledger.http.GET('/v1/admin/me'));
      const project = (await projectOf(ledger, clientId)) ?? null;
      output.record({ ...me, application: clientId, project, service: baseUrl });
    },
  }),
  command({
    name: 'profile list',
    isList: true,
    about: 'Lists the profiles, with the project that commands act on.',
    async run({ terminal, output }) {
      const { current, profiles } = await readProfiles(terminal.environment);
      const rows = Object.entries(profiles).map(([profile, one]) => ({
        ...{ profile, baseUrl: one.baseUrl, serviceAccount: 'apiToken' in one ? one.serviceAccount : null },
        ...{ who: whoOf(one), clientId: one.clientId, project: one.project ?? null },
        isCurrent: profile === current,
      }));
      output.table(
        rows,
        {
          current: ({ isCurrent }) => (isCurrent ? '*' : ''),
          profile: ({ profile }) => profile,
          url: ({ baseUrl }) => baseUrl,
          who: ({ who }) => who,
          application: ({ clientId }) => clientId,
          project: ({ project }) => project,
        },
        'No profiles. To create one: ledger-ops login',
      );
    },
  }),
  command({
    name: 'profile use',
    about: 'Selects the profile that commands use.',
    arguments: { name: { about: 'Name of the profile.' } },
    async run({ terminal, output }, { name }) {
      let project: string | undefined;
      await changeProfiles(terminal.environment, (file) => {
        ({ project } = demandProfile(file, name));
        return { ...file, current: name };
      });
      const place = project === undefined ? '' : ` and its project ${project}`;
      output.said(`Commands now use the profile ${name}${place}.`, {
        profile: name,
        project: project ?? null,
      });
    },
  }),
];

/**
 * Returns the application's project, in which commands create records; undefined if the caller may not read
 * it.
 */
export async function projectOf({ http }: LedgerClient, appId: string): Promise<string | undefined> {
  try {
    return (await answer(http.GET('/v1/admin/apps/{appId}', { params: { path: { appId } } }))).projectId;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

const whoOf = (profile: Profile) =>
  'apiToken' in profile ? profile.serviceAccount : 'a person (browser sign-in)';

/** @throws CliError if there is no such profile */
function demandProfile(file: ProfileFile, name: string): Profile {
  const profile = profileOf(file, name);
  if (profile === undefined)
    throw new CliError('usage', `There is no profile ${name}.`, 'ledger-ops profile list');
  return profile;
}

/** @throws CliError if there is no such profile */
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

/** Returns a profile from an account's tokens, or from a person's sign-in in the browser. @throws CliError */
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
    const next = 'use --url and --client-id together, or ledger-ops login --file <file>';
    throw new CliError(
      'usage',
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      next,
    );
  }
  const place = { baseUrl: url.replace(/\/+$/, ''), clientId, ...more };
  // Throws before the user types a secret if the URL is invalid or would send secrets unencrypted.
  const nobody = { accessToken: '', accessUntil: 0, refreshToken: '' };
  clientOf({ ...place, applicationToken: 'none', person: nobody }, '', terminal);
  const [, service] = /^(.*)\/console(?:\/|$)/.exec(url) ?? [];
  if (service !== undefined)
    throw new CliError(
      'usage',
      '--url must be the URL of the service, not of its console.',
      `ledger-ops login --url ${service} --client-id ${clientId}`,
    );
  const applicationToken = await readSecret(terminal, {
    ...{ name: `Token of the application ${clientId}`, variable: profileVariables.applicationToken },
    ...{ option: '--application-token-file', file: given.applicationTokenFile },
  });
  const known = { ...place, applicationToken };
  if (serviceAccount !== undefined) {
    const apiToken = await readSecret(terminal, {
      ...{ name: `API token of ${serviceAccount}`, variable: profileVariables.apiToken },
      ...{ option: '--api-token-file', file: given.apiTokenFile },
    });
    return { ...known, serviceAccount, apiToken };
  }
  const { signInByBrowser } = await import('../browser-sign-in.ts');
  return { ...known, person: await signInByBrowser(known, { opens: !given.noBrowser, terminal }) };
}

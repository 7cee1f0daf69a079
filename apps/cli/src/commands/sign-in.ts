import { z } from 'zod';
import { clientOf } from '../client-of.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { type Profile, profileVariables, readProfiles, writeProfiles } from '../profiles.ts';
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
async function readCredentials(file: string): Promise<Profile> {
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
Otherwise by URL, application and service account; the two tokens are asked for on a terminal, else read from
${profileVariables.applicationToken} and ${profileVariables.apiToken}. The profile is a file for its owner alone.`,
    options: {
      file: {
        value: 'file',
        about: 'JSON file with baseUrl, applicationToken, clientId, serviceAccount and apiToken.',
      },
      url: { value: 'url', about: 'Base URL of the service.' },
      clientId: { value: 'id', about: 'Id of the application.' },
      serviceAccount: { value: 'id', about: 'Id of the service account.' },
      applicationTokenFile: { value: 'file', about: 'File with the application token.' },
      apiTokenFile: { value: 'file', about: 'File with the API token; - is standard input.' },
      allowUnencrypted: {
        about: 'Takes http: to other places than this machine, where anybody on the way reads the tokens.',
      },
    },
    async run({ terminal, output, profileName }, given) {
      const { file, url, clientId, serviceAccount, allowUnencrypted } = given;
      const asked = async (): Promise<Profile> => {
        const missing = Object.entries({
          '--url': url,
          '--client-id': clientId,
          '--service-account': serviceAccount,
        })
          .filter(([, value]) => value === undefined)
          .map(([name]) => name);
        if (url === undefined || clientId === undefined || serviceAccount === undefined) {
          throw new CliError(
            'usage',
            `${missing.join(', ')} is missing.`,
            'ledger-ops login --file <file>, or all three',
          );
        }
        const applicationToken = await readSecret(terminal, {
          ...{ name: `Token of the application ${clientId}`, variable: profileVariables.applicationToken },
          ...{ option: '--application-token-file', file: given.applicationTokenFile },
        });
        const apiToken = await readSecret(terminal, {
          ...{ name: `API token of ${serviceAccount}`, variable: profileVariables.apiToken },
          ...{ option: '--api-token-file', file: given.apiTokenFile },
        });
        return { baseUrl: url, clientId, serviceAccount, applicationToken, apiToken };
      };
      const read =
        file === undefined
          ? await asked()
          : { ...(await readCredentials(file)), ...(url && { baseUrl: url }) };
      const profile = { ...read, ...(allowUnencrypted && { allowUnencrypted }) };
      // Whoever gets a token is who they say.
      await clientOf(profile).http.GET('/v1/technologies');
      const name = await profileName();
      const profiles = await readProfiles(terminal.environment);
      await writeProfiles(terminal.environment, {
        current: name,
        profiles: { ...profiles.profiles, [name]: profile },
      });
      const { baseUrl, serviceAccount: who } = profile;
      output.said(`Signed in at ${baseUrl} as ${who}: profile ${name}.`, {
        profile: name,
        baseUrl,
        serviceAccount: who,
      });
    },
  }),
  command({
    name: 'logout',
    about: 'Forgets the credentials of a profile.',
    async run({ terminal, output, profileName }) {
      const name = await profileName();
      await removeProfile(terminal.environment, name);
      output.said(
        `The credentials of the profile ${name} are forgotten here. They are good until somebody disables them.`,
        { profile: name },
      );
    },
  }),
  command({
    name: 'profile list',
    about: 'Lists the profiles.',
    async run({ terminal, output }) {
      const { current, profiles } = await readProfiles(terminal.environment);
      const rows = Object.entries(profiles).map(([profile, { baseUrl, serviceAccount, clientId }]) => ({
        ...{ profile, baseUrl, serviceAccount, clientId, isCurrent: profile === current },
      }));
      output.table(
        rows,
        {
          '': ({ isCurrent }) => (isCurrent ? '*' : ''),
          profile: ({ profile }) => profile,
          url: ({ baseUrl }) => baseUrl,
          account: ({ serviceAccount }) => serviceAccount,
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
      const { profiles } = await readProfiles(terminal.environment);
      if (!Object.hasOwn(profiles, name))
        throw new CliError('usage', `There is no profile ${name}.`, 'ledger-ops profile list');
      await writeProfiles(terminal.environment, { current: name, profiles });
      output.said(`Commands use ${name} now.`, { profile: name });
    },
  }),
];

/** @throws CliError where there is none */
async function removeProfile(environment: Parameters<typeof readProfiles>[0], name: string): Promise<void> {
  const { current, profiles } = await readProfiles(environment);
  if (!Object.hasOwn(profiles, name))
    throw new CliError('usage', `There is no profile ${name}.`, 'ledger-ops profile list');
  const { [name]: _, ...others } = profiles;
  await writeProfiles(environment, {
    current: current === name ? (Object.keys(others)[0] ?? 'default') : current,
    profiles: others,
  });
}

import { answer } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { printableLines } from '../output.ts';
import { readFileOption } from '../terminal.ts';
import { limit, printList } from './lists.ts';

const takeOver = {
  about: 'Lets the plugin take over ledgers that other plugins serve now. Default: refused.',
} as const;
const pluginId = { pluginId: { about: 'Id of the plugin.' } } as const;

/** Activates or deactivates a plugin without changing anything else. */
async function switchPlugin(
  { client, output }: Context,
  id: string,
  active: boolean,
  takeOver = false,
): Promise<void> {
  const { http } = await client();
  const params = { path: { pluginId: id } };
  const { name, url, implementationVersion, integrity } = await answer(
    http.GET('/v1/plugins/{pluginId}', { params }),
  );
  const body = { name, url, implementationVersion, integrity, active, takeOver };
  const written = await answer(http.PUT('/v1/plugins/{pluginId}', { params, body }));
  const next = active
    ? `ledger-ops plugin show ${id}`
    : 'Other matching plugins serve its ledgers from now on.';
  output.said(`${active ? 'Activated' : 'Deactivated'} ${name}. ${next}`, written);
}

export const plugins = [
  command({
    name: 'plugin list',
    isList: true,
    about: 'Lists the plugins that a project may use.',
    options: { ...limit, project: { value: 'project', form: 'required', about: 'Id of the project.' } },
    run: (context, { limit, ...query }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/plugins', { query, signal }),
        {
          ...{ plugin: 'id', name: 'name', active: 'active', tags: 'tags', url: 'url' },
          version: (one) => one.version ?? 'unknown',
        },
        'No registered plugins. Built-in plugins need no registration.',
      ),
  }),
  command({
    name: 'plugin add',
    about: 'Registers a plugin.',
    arguments: {
      url: {
        about:
          'npm:package@version, file:/folder/dist/plugin.js (absolute path of the module’s file) or https://…. The server’s setting PLUGINS_ALLOWED must include it.',
      },
    },
    options: {
      project: { value: 'project', form: 'required', about: 'Id of the project.' },
      name: { value: 'text', form: 'required', about: 'Display name.' },
      tag: {
        value: 'tag',
        form: 'list',
        about:
          'A tag that ledgers use to select the plugin, such as its technology; can be given several times.',
      },
      implementationVersion: {
        value: 'version',
        about:
          'Version of the adapter interface. Default: reported by the plugin. Ledgers select the highest matching version.',
      },
      pluginVersion: {
        value: 'version',
        about:
          'Version of the plugin. Default: reported by the plugin. Among equal adapter versions, ledgers select the newest.',
      },
      integrity: {
        value: 'sha512-…',
        about: 'Expected hash of the plugin’s module file (subresource integrity).',
      },
      takeOver,
      bearerTokenFile: { value: 'file', about: 'Token that the server sends to a remote plugin.' },
      clientCertificateFile: {
        value: 'file',
        about: 'Client certificate for a remote plugin (mutual TLS), in PEM, with its chain.',
      },
      clientKeyFile: { value: 'file', about: 'Private key of the client certificate, in PEM.' },
      certificateAuthorityFile: {
        value: 'file',
        about:
          'PEM certificate of the CA that issued the plugin’s certificate. If set, it is trusted instead of the public CAs.',
      },
    },
    async run({ client, output, terminal }, { url, project, name, tag, ...given }) {
      const { implementationVersion, pluginVersion: version, integrity } = given;
      const files = {
        bearerToken: given.bearerTokenFile,
        clientCertificate: given.clientCertificateFile,
        clientKey: given.clientKeyFile,
        certificateAuthority: given.certificateAuthorityFile,
      };
      const credentials: Record<string, string> = {};
      for (const [member, file] of Object.entries(files))
        if (file !== undefined) credentials[member] = await readFileOption(terminal, file);
      const body = {
        ...{ url, projectId: project, name, tags: [...tag] },
        ...(implementationVersion !== undefined && { implementationVersion }),
        ...(version !== undefined && { version }),
        ...(integrity !== undefined && { integrity }),
        takeOver: given.takeOver,
        ...(Object.keys(credentials).length > 0 && { credentials }),
      };
      const made = await answer((await client()).http.POST('/v1/plugins', { body }));
      for (const warning of made.warnings) terminal.err(`Warning: ${printableLines(warning)}\n`);
      output.said(`Registered ${made.id}. Next: ledger-ops plugin show ${made.id}`, made);
    },
  }),
  command({
    name: 'plugin selection',
    isList: true,
    about:
      'Shows which plugin serves a ledger, and why the other plugins do not; exits with 3 if no plugin can serve it.',
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    async run({ client, output }, { ledgerId }) {
      const query = { ledgerId };
      const told = await answer((await client()).http.GET('/v1/plugins/selection', { params: { query } }));
      if (output.isJson) output.said('', told);
      else
        output.table(
          told.candidates,
          {
            plugin: 'id',
            name: 'name',
            result: (one) => (one.isChosen ? 'serves it' : one.reason),
          },
          `No plugin has the tags ${told.tags.join(', ')}. To add one: ledger-ops plugin add <url>`,
        );
      const { chosen } = told;
      if (chosen?.canServe) return;
      const why = chosen === null ? 'no plugin matches' : (chosen.fault ?? 'unknown');
      throw new CliError(
        'found',
        `${ledgerId} is not served: ${why}`,
        'ledger-ops plugin list, then ledger-ops plugin show <plugin>',
      );
    },
  }),
  command({
    name: 'plugin show',
    about: 'Shows the health of a registered plugin; exits with 3 if it is inactive or not loaded.',
    arguments: pluginId,
    async run({ client, output }, { pluginId: id }) {
      const params = { path: { pluginId: id } };
      const { active, health, name } = await answer(
        (await client()).http.GET('/v1/plugins/{pluginId}', { params }),
      );
      if (!active)
        throw new CliError(
          'found',
          `${name} is inactive: ledgers do not select it.`,
          `ledger-ops plugin on ${id}`,
        );
      const change = health.changed === null ? '' : ` ${health.changed}`;
      if (health.loaded)
        return output.said(`${name} is loaded, version ${health.version ?? 'unknown'}.${change}`, health);
      const why = health.lastError?.detail ?? 'it has not been used yet';
      throw new CliError('found', `${name} is not loaded: ${why}`, 'read the server’s log');
    },
  }),
  command({
    name: 'plugin on',
    about: 'Activates a registered plugin.',
    arguments: pluginId,
    options: { takeOver },
    run: async (context, given) => await switchPlugin(context, given.pluginId, true, given.takeOver),
  }),
  command({
    name: 'plugin off',
    about: 'Deactivates a registered plugin: ledgers no longer select it.',
    arguments: pluginId,
    run: async (context, given) => await switchPlugin(context, given.pluginId, false),
  }),
  command({
    name: 'plugin check',
    about:
      'Checks a plugin against the adapter interface before it is registered; exits with 3 if a check fails.',
    more: `Runs the conformance kit of @ledger-ops/adapter-kit (see its README). Does not require signing in. Examples:
  ledger-ops plugin check ./harness.ts
  ledger-ops plugin check http://127.0.0.1:8080 --config conformance.json --start "node plugin.mjs 8080"`,
    arguments: {
      plugin: { about: 'A module that exports the adapter and openHarness, or the URL of a remote plugin.' },
    },
    options: {
      config: { value: 'file', about: 'For a remote plugin: JSON file with a ledger and sample operations.' },
      start: {
        value: 'command',
        about: 'Shell command that starts the remote plugin, for checks of crash recovery.',
      },
      stop: {
        value: 'command',
        about: 'Shell command that stops the remote plugin. Default: its process is killed.',
      },
      restart: {
        value: 'command',
        about: 'Shell command that restarts the remote plugin, instead of --stop and --start.',
      },
      state: {
        value: 'command',
        about:
          'Shell command that prints what the ledger holds for the account $ACCOUNT, for checks of effects on the ledger.',
      },
    },
    async run({ terminal, output }, { plugin, ...options }) {
      // Loaded only by this command, because the kit is large.
      const { checkPlugin } = await import('@ledger-ops/adapter-kit/command');
      const flags = Object.entries(options).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}=${value}`],
      );
      const report = `--report=${output.isJson ? 'json' : 'text'}`;
      const code = await checkPlugin([report, ...flags, '--', plugin], {
        out: (line) => terminal.out(`${printableLines(line)}\n`),
        err: (line) => terminal.err(`${printableLines(line)}\n`),
        signal: terminal.signal,
      });
      if (code === 2)
        throw new CliError('usage', `${plugin} cannot be checked.`, 'ledger-ops plugin check --help');
      if (code !== 0)
        throw new CliError(
          'found',
          `${plugin} does not pass all checks of the adapter interface.`,
          'fix the checks marked FAIL, then run the same command again',
        );
    },
  }),
];

import { answer } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { printableLines } from '../output.ts';
import { readFileOption } from '../terminal.ts';
import { limit, taken } from './taken.ts';

const pluginId = { pluginId: { about: 'Id of the plugin.' } } as const;

/** Switches a plugin; everything else of it stays as it is. */
async function switchPlugin({ client, output }: Context, id: string, active: boolean): Promise<void> {
  const { http } = await client();
  const params = { path: { pluginId: id } };
  const { name, url, implementationVersion, integrity } = await answer(
    http.GET('/v1/plugins/{pluginId}', { params }),
  );
  const body = { name, url, implementationVersion, integrity, active };
  const written = await answer(http.PUT('/v1/plugins/{pluginId}', { params, body }));
  const next = active ? `ledger-ops plugin show ${id}` : 'Its ledgers are served by others, or by none.';
  output.said(`${name} is switched ${active ? 'on' : 'off'}. ${next}`, written);
}

export const plugins = [
  command({
    name: 'plugin list',
    about: 'Lists the plugins that a project may use.',
    options: { ...limit, project: { value: 'project', form: 'required', about: 'Id of the project.' } },
    async run({ client, output, terminal }, { limit: most, project }) {
      const list = (await client()).each('/v1/plugins', { query: { project }, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          plugin: (one) => one.id,
          name: (one) => one.name,
          active: (one) => one.active,
          tags: (one) => one.tags,
          url: (one) => one.url,
        },
        'There is no plugin of the project; the built-in ones need no record.',
      );
    },
  }),
  command({
    name: 'plugin add',
    about: 'Registers a plugin.',
    arguments: { url: { about: 'npm:package@version, file:… or https://…, as the deployer allows.' } },
    options: {
      project: { value: 'project', form: 'required', about: 'Whose it is.' },
      name: { value: 'text', form: 'required', about: 'For people.' },
      tag: {
        value: 'tag',
        form: 'list',
        about: 'The technology that it serves, and what ledgers choose it by.',
      },
      implementationVersion: {
        value: 'version',
        about: 'Of the adapter interface; else as the plugin says. The highest that fits is chosen.',
      },
      integrity: { value: 'sha512-…', about: 'What the file of its module must have.' },
      bearerTokenFile: { value: 'file', about: 'Of a remote plugin: shows it who calls.' },
      clientCertificateFile: { value: 'file', about: 'Likewise, by mutual TLS: PEM, with its chain.' },
      clientKeyFile: { value: 'file', about: 'PEM, of that certificate.' },
      certificateAuthorityFile: {
        value: 'file',
        about: 'PEM: who signed the plugin’s own certificate, in the place of public ones.',
      },
    },
    async run({ client, output, terminal }, { url, project, name, tag, ...given }) {
      const { implementationVersion, integrity } = given;
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
        ...(integrity !== undefined && { integrity }),
        ...(Object.keys(credentials).length > 0 && { credentials }),
      };
      const made = await answer((await client()).http.POST('/v1/plugins', { body }));
      for (const warning of made.warnings) terminal.err(`Warning: ${printableLines(warning)}\n`);
      output.said(`${made.id} is registered. ledger-ops plugin show ${made.id}`, made);
    },
  }),
  command({
    name: 'plugin selection',
    about: 'Tells which plugin serves a ledger, and why not the others; ends with 3 where none can.',
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    async run({ client, output }, { ledgerId }) {
      const query = { ledgerId };
      const told = await answer((await client()).http.GET('/v1/plugins/selection', { params: { query } }));
      if (output.isJson) output.said('', told);
      else
        output.table(
          told.candidates,
          {
            plugin: (one) => one.id,
            name: (one) => one.name,
            '': (one) => (one.isChosen ? 'serves it' : one.reason),
          },
          `There is no plugin with the tags ${told.tags.join(', ')}: ledger-ops plugin add <url>`,
        );
      const { chosen } = told;
      if (chosen?.canServe) return;
      const why = chosen === null ? 'no plugin fits' : (chosen.fault ?? 'unknown');
      throw new CliError('found', `${ledgerId} is not served: ${why}`, 'ledger-ops plugin list, plugin show');
    },
  }),
  command({
    name: 'plugin show',
    about: 'Tells how a registered plugin is doing; ends with 3 where it is not loaded.',
    arguments: pluginId,
    async run({ client, output }, { pluginId: id }) {
      const params = { path: { pluginId: id } };
      const { health, name } = await answer((await client()).http.GET('/v1/plugins/{pluginId}', { params }));
      if (health.loaded)
        return output.said(`${name} is loaded, version ${health.version ?? 'unknown'}.`, health);
      const why = health.lastError?.detail ?? 'nothing has used it yet';
      throw new CliError('found', `${name} is not loaded: ${why}`, 'the log of the server says more');
    },
  }),
  command({
    name: 'plugin on',
    about: 'Switches a registered plugin on.',
    arguments: pluginId,
    run: async (context, given) => await switchPlugin(context, given.pluginId, true),
  }),
  command({
    name: 'plugin off',
    about: 'Switches a registered plugin off: ledgers choose it no more.',
    arguments: pluginId,
    run: async (context, given) => await switchPlugin(context, given.pluginId, false),
  }),
  command({
    name: 'plugin check',
    about:
      'Holds a plugin to the contract, before anybody registers it; ends with 3 where a clause is broken.',
    more: `The conformance kit of @ledger-ops/adapter-kit, whose README tells of modules and configurations. Nobody needs to be signed in:
  ledger-ops plugin check ./harness.ts
  ledger-ops plugin check http://127.0.0.1:8080 --config conformance.json --start "node plugin.mjs 8080"`,
    arguments: {
      plugin: { about: 'A module that exports the adapter and openHarness, or the URL of a remote plugin.' },
    },
    options: {
      config: { value: 'file', about: 'Of a remote plugin: a ledger and samples, in JSON.' },
      start: { value: 'command', about: 'Starts the remote plugin, for clauses about crashes.' },
      stop: { value: 'command', about: 'Stops it; absent: it is killed.' },
      restart: { value: 'command', about: 'In the place of both.' },
    },
    async run({ terminal, output }, { plugin, ...options }) {
      // Only this command loads the kit.
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
      if (code !== 0) throw new CliError('found', `${plugin} does not keep the contract.`);
    },
  }),
];

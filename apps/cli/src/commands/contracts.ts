import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, type components, type LedgerClient, ProblemError } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';
import { given } from '../given.ts';
import { printableLines } from '../output.ts';
import { readText } from '../terminal.ts';
import { limit, ofProject, printList } from './lists.ts';
import { projectOf } from './sign-in.ts';

const contract = { contractId: { about: 'Id of the contract.' } } as const;
const group = {
  group: {
    value: 'group',
    about: 'Id of the contract’s group. Default: the group in the application’s project.',
  },
} as const;

export const contracts = [
  command({
    name: 'contract list',
    isList: true,
    about: 'Lists the registered contracts of a project, or of a group.',
    options: {
      ...limit,
      ...ofProject,
      group: { value: 'group', about: 'Only the contracts of this group.' },
    },
    async run(context, { limit, project, group }) {
      const id = group === undefined ? await chosenProject(context, project) : '';
      const groups = new Map<string, string>();
      await printList(
        context,
        limit,
        (ledger, signal) =>
          group === undefined ? contractsOf(ledger, id, signal, groups) : contractsIn(ledger, group, signal),
        {
          ...{ contract: 'contractId', name: 'name' },
          group: (one) => groups.get(one.groupId) ?? one.groupId,
          ledger: (one) => one.ledgerReference.ledgerId,
          address: (one) => one.ledgerReference.nativeReference,
        },
        'No registered contracts.',
      );
    },
  }),
  command({
    name: 'contract groups',
    isList: true,
    about: 'Lists the groups of registered contracts in a project.',
    options: { ...limit, ...ofProject },
    async run(context, { limit, project: id }) {
      const project = await chosenProject(context, id);
      await printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/contract-groups', { query: { project }, signal }),
        { group: 'groupId', name: 'name' },
        'No groups.',
      );
    },
  }),
  command({
    name: 'contract group',
    about: 'Creates a contract group in a project.',
    arguments: { name: { about: 'Display name.' } },
    options: { project: { value: 'project', form: 'required', about: 'Id of the project.' } },
    async run({ client, output }, { name, project: projectId }) {
      const body = { name, projectId };
      const made = await answer((await client()).http.POST('/v1/contract-groups', { body }));
      output.said(
        `Created ${made.groupId}. Next: ledger-ops contract register <name> --group ${made.groupId} …`,
        made,
      );
    },
  }),
  command({
    name: 'contract register',
    about: 'Registers a contract that is already on a ledger.',
    arguments: { name: { about: 'Display name.' } },
    options: {
      group: { value: 'group', form: 'required', about: 'Id of the group.' },
      ledger: { value: 'ledger', form: 'required', about: 'Id of the ledger.' },
      address: {
        value: 'address',
        form: 'required',
        about: 'Address of the contract: 0x… on Ethereum, channel/chaincode on Fabric.',
      },
      interface: {
        value: 'file',
        about: 'ABI or IDL of the contract in JSON; optional if the ledger publishes it, as Fabric does.',
      },
    },
    async run({ client, output }, { name, group, ledger, address, interface: file }) {
      const body = {
        ...{ name, ledgerReference: { ledgerId: ledger, nativeReference: address } },
        ...(file !== undefined && { interface: await readText(file) }),
      };
      const params = { path: { contractGroupId: group } };
      const { http } = await client();
      const made = await answer(
        http.POST('/v1/contract-groups/{contractGroupId}/instances', { params, body }),
      );
      output.said(
        `Registered ${name}. Next: ledger-ops read ${made.contractId} <method> --ledger ${ledger}`,
        made,
      );
    },
  }),
  command({
    name: 'contract show',
    about: 'Shows a registered contract, with its interface.',
    arguments: contract,
    options: group,
    async run(context, { contractId, group }) {
      const { client, output } = context;
      const contractGroupId = group ?? (await groupOf(context, contractId));
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      output.record(await answer(http.GET(path, { params })));
    },
  }),
  command({
    name: 'contract methods',
    isList: true,
    about: 'Lists the methods of a registered contract.',
    arguments: contract,
    options: group,
    async run(context, { contractId, group }) {
      const { client, output } = context;
      const contractGroupId = group ?? (await groupOf(context, contractId));
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods';
      const { methods } = await answer(http.GET(path, { params }));
      output.table(
        methods,
        {
          method: 'signature',
          answers: (one) => one.outputs.map(({ type }) => type).join(', '),
          kind: (one) => (one.view ? 'read' : 'call'),
        },
        'The contract’s interface has no methods.',
      );
    },
  }),
  command({
    name: 'contract change',
    about: 'Changes the name or the interface of a registered contract.',
    arguments: contract,
    options: {
      ...group,
      name: { value: 'text', about: 'Display name.' },
      interface: { value: 'file', about: 'The contract’s ABI or IDL in JSON.' },
    },
    async run(context, { contractId, group, name, interface: file }) {
      const { client, output } = context;
      const contractGroupId = group ?? (await groupOf(context, contractId));
      const body = given({ name, interface: file === undefined ? undefined : await readText(file) });
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      output.said(`Changed ${contractId}.`, await answer(http.PUT(path, { params, body })));
    },
  }),
  command({
    name: 'contract remove',
    about: 'Removes a contract from the registry; it stays on its ledger.',
    arguments: contract,
    options: group,
    async run(context, { contractId, group }) {
      const { client, output } = context;
      const contractGroupId = group ?? (await groupOf(context, contractId));
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      await (await client()).http.DELETE(path, { params });
      output.said(`Removed ${contractId} from the registry.`, { contractId });
    },
  }),
  command({
    name: 'template list',
    isList: true,
    about: 'Lists the contract templates of a project.',
    options: { ...limit, ...ofProject },
    run: (context, { limit, project: projectId }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/contract-templates', { query: given({ projectId }), signal }),
        { template: 'templateId', name: 'name', description: 'description' },
        'No templates. To add one: ledger-ops template add <template>:<version> <file>',
      ),
  }),
  command({
    name: 'template add',
    about:
      'Adds a version to a template, creates the template if missing, and waits until the version is compiled.',
    more: 'ledger-ops template add my-token:1 Token.sol, then: ledger-ops deploy my-token:1 <args> --from <wallet>',
    arguments: {
      template: { about: 'Id and version: my-token:1' },
      file: {
        about:
          'Sources (.sol, Standard JSON), compiled output in JSON, a package (.tar.gz) or a program (.so).',
      },
    },
    options: {
      ...ofProject,
      technology: {
        value: 'technology',
        about: 'Name of the technology, as listed by ledger-ops ledger technologies. Default: ethereum.',
      },
      contract: { value: 'name', about: 'Name of the contract, if the file contains several.' },
    },
    async run({ client, output, terminal }, { template, file, project, technology, contract }) {
      const [, templateId = '', version = ''] = /^([^:]+):([^:]+)$/.exec(template) ?? [];
      if (templateId === '')
        throw new CliError('usage', `${template} must be an id with a version, such as my-token:1.`);
      const ledger = await client();
      const code = await readCode(file);
      await ensureTemplate(ledger, templateId, project);
      const body = { version, code, ...given({ technology, contract }) };
      const path = '/v1/contract-templates/{templateId}/versions';
      let added = await answer(ledger.http.POST(path, { params: { path: { templateId } }, body }));
      const params = { path: { templateId, version } };
      while (added.status === 'PENDING') {
        await sleep(500, undefined, { signal: terminal.signal });
        added = await answer(ledger.http.GET(`${path}/{version}`, { params }));
      }
      for (const line of added.messages.map((one) => messageLine(one, file)))
        terminal.err(`${printableLines(line)}\n`);
      if (added.status === 'FAILED')
        throw new CliError('found', `${template} does not compile.`, 'fix it, and add it as another version');
      output.said(`Added ${template}. Next: ledger-ops deploy ${template} <args> --from <wallet>`, added);
    },
  }),
];

/**
 * Returns the project of `--project`; by default, the project of the application.
 * @throws CliError if the caller may not read the application
 */
async function chosenProject({ client, profile }: Context, project: string | undefined): Promise<string> {
  if (project !== undefined) return project;
  const own = await projectOf(await client(), (await profile()).clientId);
  if (own === undefined)
    throw new CliError('usage', 'The project of the application is unknown.', '--project <project>');
  return own;
}

function contractsIn(ledger: LedgerClient, contractGroupId: string, signal: AbortSignal) {
  return ledger.each('/v1/contract-groups/{contractGroupId}/instances', {
    path: { contractGroupId },
    signal,
  });
}

/** Returns the group of a registered contract in the application's project. @throws CliError */
async function groupOf(context: Context, contractId: string): Promise<string> {
  const project = await chosenProject(context, undefined);
  const { signal } = context.terminal;
  for await (const one of contractsOf(await context.client(), project, signal))
    if (one.contractId === contractId) return one.groupId;
  throw new CliError(
    'failed',
    `${contractId} is not a registered contract of the project ${project}.`,
    'ledger-ops contract list; for a contract of another project, add --group <group>',
  );
}

/** @param names receives the names of the groups by id */
async function* contractsOf(
  ledger: LedgerClient,
  project: string,
  signal: AbortSignal,
  names = new Map<string, string>(),
) {
  for await (const { groupId, name } of ledger.each('/v1/contract-groups', { query: { project }, signal })) {
    names.set(groupId, name);
    yield* contractsIn(ledger, groupId, signal);
  }
}

/** Returns text, or base64 for packages and programs. @throws CliError */
async function readCode(file: string): Promise<string> {
  if (!/\.(tgz|tar\.gz|so)$/.test(file)) return await readText(file);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `${file} cannot be read: ${whyNot(error)}.`);
  });
  return bytes.toString('base64');
}

async function ensureTemplate(
  { http }: LedgerClient,
  templateId: string,
  project: string | undefined,
): Promise<void> {
  const body = { templateId, name: templateId, ...given({ projectId: project }) };
  await http.POST('/v1/contract-templates', { body }).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.is('already-exists'))) throw error;
  });
}

type Message = components['schemas']['CompilerMessage'];

/** The name that the compiler uses for a single source. */
const singleSource = 'Contract.sol';

function messageLine({ severity, message, file, line }: Message, given: string): string {
  const name = file === singleSource && given.endsWith('.sol') ? given : file;
  const place = file === null ? '' : `${name}${line === null ? '' : `:${line}`}: `;
  return `${severity}: ${place}${message}`;
}

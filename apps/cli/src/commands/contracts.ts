import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, type components, type LedgerClient, ProblemError } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';
import { printableLines } from '../output.ts';
import { readText } from '../terminal.ts';
import { limit, taken } from './taken.ts';

const contract = { contractId: { about: 'Id of the contract.' } } as const;
const group = { group: { value: 'group', form: 'required', about: 'Id of its group.' } } as const;

export const contracts = [
  command({
    name: 'contract list',
    about: 'Lists the contracts of a group, or the groups of a project.',
    options: {
      ...limit,
      project: { value: 'project', about: 'The groups of this project.' },
      group: { value: 'group', about: 'The contracts of this group.' },
    },
    async run({ client, output, terminal }, { limit: most, project, group }) {
      const ledger = await client();
      const { signal } = terminal;
      if (group === undefined) {
        if (project === undefined) throw new CliError('usage', '--project or --group is missing.');
        const groups = await taken(ledger.each('/v1/contract-groups', { query: { project }, signal }), most);
        const columns = { group: (one: (typeof groups)[number]) => one.groupId };
        return output.table(groups, { ...columns, name: (one) => one.name }, 'There is no group.');
      }
      const path = { contractGroupId: group };
      const list = ledger.each('/v1/contract-groups/{contractGroupId}/instances', { path, signal });
      output.table(
        await taken(list, most),
        {
          contract: (one) => one.contractId,
          name: (one) => one.name,
          ledger: (one) => one.ledgerReference.ledgerId,
          address: (one) => one.ledgerReference.nativeReference,
        },
        'There is no contract in the group.',
      );
    },
  }),
  command({
    name: 'contract group',
    about: 'Makes a group of contracts in a project.',
    arguments: { name: { about: 'For people.' } },
    options: { project: { value: 'project', form: 'required', about: 'Id of the project.' } },
    async run({ client, output }, { name, project }) {
      const body = { name, projectId: project };
      const made = await answer((await client()).http.POST('/v1/contract-groups', { body }));
      output.said(
        `${made.groupId} is there. ledger-ops contract register <name> --group ${made.groupId} …`,
        made,
      );
    },
  }),
  command({
    name: 'contract register',
    about: 'Makes a contract known that stands on a ledger.',
    arguments: { name: { about: 'For people.' } },
    options: {
      group: { value: 'group', form: 'required', about: 'Id of the group.' },
      ledger: { value: 'ledger', form: 'required', about: 'Id of the ledger.' },
      address: {
        value: 'address',
        form: 'required',
        about: 'Where it stands: 0x… on Ethereum, channel/chaincode on Fabric.',
      },
      interface: {
        value: 'file',
        about: 'Its ABI or IDL in JSON; absent where the ledger publishes it, as Fabric does.',
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
        `${name} is registered. ledger-ops read ${made.contractId} <method> --ledger ${ledger}`,
        made,
      );
    },
  }),
  command({
    name: 'contract show',
    about: 'Shows a registered contract, with its interface.',
    arguments: contract,
    options: group,
    async run({ client, output }, { contractId, group: contractGroupId }) {
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      output.record(await answer(http.GET(path, { params })));
    },
  }),
  command({
    name: 'contract methods',
    about: 'Lists what a registered contract can be called for.',
    arguments: contract,
    options: group,
    async run({ client, output }, { contractId, group: contractGroupId }) {
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods';
      const { methods } = await answer(http.GET(path, { params }));
      output.table(
        methods,
        {
          method: (one) => one.signature,
          answers: (one) => one.outputs.map(({ type }) => type).join(', '),
          '': (one) => (one.view ? 'read' : 'call'),
        },
        'Its interface names no method.',
      );
    },
  }),
  command({
    name: 'contract change',
    about: 'Changes the name or the interface of a registered contract.',
    arguments: contract,
    options: {
      ...group,
      name: { value: 'text', about: 'For people.' },
      interface: { value: 'file', about: 'Its ABI or IDL in JSON.' },
    },
    async run({ client, output }, { contractId, group: contractGroupId, name, interface: file }) {
      const body = {
        ...(name !== undefined && { name }),
        ...(file !== undefined && { interface: await readText(file) }),
      };
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const { http } = await client();
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      output.said(`${contractId} is changed.`, await answer(http.PUT(path, { params, body })));
    },
  }),
  command({
    name: 'contract remove',
    about: 'Takes a contract out of the registry; on its ledger it stays.',
    arguments: contract,
    options: group,
    async run({ client, output }, { contractId, group: contractGroupId }) {
      const params = { path: { contractGroupId, smartContractId: contractId } };
      const path = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
      await (await client()).http.DELETE(path, { params });
      output.said(`${contractId} is not registered any more.`, { contractId });
    },
  }),
  command({
    name: 'template list',
    about: 'Lists the templates of a project: what contracts are deployed from.',
    options: {
      ...limit,
      project: { value: 'project', about: 'Of this project; else of the application’s.' },
    },
    async run({ client, output, terminal }, { limit: most, project }) {
      const query = project === undefined ? {} : { projectId: project };
      const list = (await client()).each('/v1/contract-templates', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          template: (one) => one.templateId,
          name: (one) => one.name,
          description: (one) => one.description,
        },
        'There is no template: ledger-ops template add <template>:<version> <file>',
      );
    },
  }),
  command({
    name: 'template add',
    about: 'Adds a version of a template, and the template where there is none; waits until it is compiled.',
    more: 'ledger-ops template add my-token:1 Token.sol, then: ledger-ops deploy my-token:1 <args> --from <wallet>',
    arguments: {
      template: { about: 'Id and version: my-token:1' },
      file: {
        about:
          'Sources (.sol, Standard JSON), compiled output in JSON, a package (.tar.gz) or a program (.so).',
      },
    },
    options: {
      project: { value: 'project', about: 'Of a new template; else the application’s.' },
      technology: { value: 'technology', about: 'As ledger technologies lists it; else ethereum.' },
      contract: { value: 'name', about: 'Which contract of the file, where there are several.' },
    },
    async run({ client, output, terminal }, { template, file, project, technology, contract }) {
      const [, templateId = '', version = ''] = /^([^:]+):([^:]+)$/.exec(template) ?? [];
      if (templateId === '')
        throw new CliError('usage', `${template} is no id with a version, such as my-token:1.`);
      const ledger = await client();
      const code = await readCode(file);
      await ensureTemplate(ledger, templateId, project);
      const body = {
        ...{ version, code },
        ...(technology !== undefined && { technology }),
        ...(contract !== undefined && { contract }),
      };
      const path = '/v1/contract-templates/{templateId}/versions';
      let added = await answer(ledger.http.POST(path, { params: { path: { templateId } }, body }));
      const params = { path: { templateId, version } };
      while (added.status === 'PENDING') {
        await sleep(500, undefined, { signal: terminal.signal });
        added = await answer(ledger.http.GET(`${path}/{version}`, { params }));
      }
      for (const line of added.messages.map(messageLine)) terminal.err(`${printableLines(line)}\n`);
      if (added.status === 'FAILED')
        throw new CliError(
          'found',
          `${template} does not compile.`,
          'mend it, and add it as another version',
        );
      output.said(`${template} is there. ledger-ops deploy ${template} <args> --from <wallet>`, added);
    },
  }),
];

/** Text; a package or a program as base64. @throws CliError */
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
  const body = { templateId, name: templateId, ...(project !== undefined && { projectId: project }) };
  await http.POST('/v1/contract-templates', { body }).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.is('already-exists'))) throw error;
  });
}

type Message = components['schemas']['CompilerMessage'];

function messageLine({ severity, message, file, line }: Message): string {
  const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
  return `${severity}: ${place}${message}`;
}

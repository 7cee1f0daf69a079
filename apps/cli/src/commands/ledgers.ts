import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given as defined } from '../given.ts';
import { displayName, limit, ofProject, printList } from './lists.ts';
import { demandTechnology, propertyOptions, readProperties } from './properties.ts';
import { suspendedField } from './suspensions.ts';

const ledgerId = { ledgerId: { about: 'Id of the ledger.' } } as const;
const nodeId = { nodeId: { about: 'Id of the node, as shown by ledger-ops node list.' } } as const;

export const ledgers = [
  command({
    name: 'ledger list',
    isList: true,
    about: 'Lists the active ledgers.',
    options: { ...limit, ...ofProject },
    run: (context, { limit, project: projectId }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/ledgers', { query: defined({ projectId }), signal }),
        { ledger: 'ledgerId', technology: 'technology', name: 'name', project: 'projectId' },
        'The project has no ledgers. To list those of another project, add --project <project>. To add one: ledger-ops ledger add <ledger> --technology <technology> --node <url>',
      ),
  }),
  command({
    name: 'ledger show',
    about: 'Shows a ledger with its properties, without secrets, and whether it is suspended.',
    arguments: ledgerId,
    async run({ client, output }, path) {
      const service = await client();
      const { ledgerId } = path;
      const ledger = await answer(service.http.GET('/v1/admin/ledgers/{ledgerId}', { params: { path } }));
      if (output.isJson) return output.record(ledger);
      output.record({ ...ledger, ...(await suspendedField(service, [{ ledgerId }])) });
    },
  }),
  command({
    name: 'ledger add',
    about: 'Adds a ledger with its nodes.',
    more: 'ledger-ops ledger add main --technology ethereum --node https://node.example --set chain_id=1',
    arguments: { ledgerId: { about: 'Id of the new ledger.' } },
    options: {
      technology: {
        value: 'technology',
        form: 'required',
        about:
          'Name of a technology, such as ethereum, hyperledger-fabric or solana. To list all: ledger-ops ledger technologies',
      },
      node: { value: 'url', form: 'list', about: 'URL of a node; can be given several times.' },
      ...propertyOptions,
      ...displayName,
      ...ofProject,
    },
    async run(context, { ledgerId, technology, node, name = ledgerId, project: projectId, ...given }) {
      const { client, output } = context;
      demandTechnology(
        (await answer((await client()).http.GET('/v1/technologies'))).technologies,
        technology,
      );
      const body = {
        ...{ ledgerId, name, technology, nodes: node.map((uri) => ({ uri })) },
        properties: await readProperties(context, technology, 'ledgerProperties', given),
        ...defined({ projectId }),
      };
      const ledger = await answer((await client()).http.POST('/v1/admin/ledgers', { body }));
      const next =
        node.length === 0
          ? `The ledger has no nodes yet. Next: ledger-ops node add ${ledgerId} <url>`
          : `Next: ledger-ops wallet create <wallet> --ledger ${ledgerId}`;
      output.said(`Added ${ledgerId} to the project ${ledger.projectId}. ${next}`, ledger);
    },
  }),
  command({
    name: 'ledger change',
    about: 'Changes the given properties or the name of a ledger.',
    arguments: ledgerId,
    options: { ...propertyOptions, name: { value: 'text', about: 'Display name.' } },
    async run(context, { ledgerId, name, ...given }) {
      const { http } = await context.client();
      const params = { path: { ledgerId } };
      const { technology, properties } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
      const changed = await readProperties(context, technology, 'ledgerProperties', given);
      // The service returns secrets as null. If it receives null for a secret, it keeps the secret.
      const body = { properties: { ...properties, ...changed }, ...defined({ name }) };
      const ledger = await answer(http.PUT('/v1/admin/ledgers/{ledgerId}', { params, body }));
      context.output.said(`Changed ${ledgerId}. The change applies to new operations.`, ledger);
    },
  }),
  command({
    name: 'ledger remove',
    about: 'Removes a ledger with its nodes. Refused while other records use the ledger.',
    arguments: ledgerId,
    async run({ client, output }, path) {
      await (await client()).http.DELETE('/v1/admin/ledgers/{ledgerId}', { params: { path } });
      output.said(`Removed ${path.ledgerId}.`, path);
    },
  }),
  command({
    name: 'ledger health',
    isList: true,
    about:
      'Lists ledgers that do not work, are suspended, or have faulty nodes; exits with 3 if any ledger does not work.',
    async run({ client, output }) {
      const { ledgers } = await answer((await client()).http.GET('/v1/admin/ledger-health'));
      output.table(
        ledgers,
        {
          ledger: 'ledgerId',
          status: (one) =>
            one.reasons.length > 0 ? 'does not work' : one.suspension === null ? 'works' : 'suspended',
          why: (one) => [...one.reasons, ...one.warnings, ...(one.suspension ? [one.suspension.reason] : [])],
        },
        'No ledger has a known problem.',
      );
      const [failed] = ledgers.filter(({ reasons }) => reasons.length > 0);
      if (failed === undefined) return;
      throw new CliError(
        'found',
        `${failed.ledgerId} does not work: ${failed.reasons.join('; ')}`,
        `ledger-ops node list ${failed.ledgerId}`,
      );
    },
  }),
  command({
    name: 'ledger technologies',
    isList: true,
    about: 'Lists the technologies that this installation can serve.',
    async run({ client, output }) {
      const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
      output.table(technologies, { technology: 'name', title: 'title' }, 'No technologies.');
    },
  }),
  command({
    name: 'node list',
    isList: true,
    about: 'Lists the nodes of a ledger.',
    arguments: ledgerId,
    options: limit,
    run: (context, { limit, ...query }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/nodes', { query, signal }),
        { node: 'nodeId', name: 'name', url: 'uri' },
        `No nodes. To add one: ledger-ops node add ${query.ledgerId} <url>`,
      ),
  }),
  command({
    name: 'node add',
    about: 'Adds a node to a ledger.',
    arguments: { ...ledgerId, url: { about: 'URL of the node.' } },
    options: {
      id: { value: 'id', about: 'Id of the node. Default: generated.' },
      default: { about: 'Makes the node the default node of the ledger.' },
      ...propertyOptions,
    },
    async run(context, { ledgerId, url, id: nodeId, default: isDefault, ...given }) {
      const { http } = await context.client();
      const params = { path: { ledgerId } };
      const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
      const body = {
        ...{ ledgerId, uri: url, default: isDefault },
        properties: await readProperties(context, technology, 'nodeProperties', given),
        ...defined({ nodeId }),
      };
      const made = await answer(http.POST('/v1/admin/nodes', { body }));
      context.output.said(`Added the node ${made.nodeId} to ${ledgerId}.`, made);
    },
  }),
  command({
    name: 'node change',
    about: 'Changes the URL or the given properties of a node.',
    arguments: nodeId,
    options: {
      url: { value: 'url', about: 'The new URL.' },
      default: { about: 'Makes the node the default node of the ledger.' },
      ...propertyOptions,
    },
    async run(context, { nodeId, url, default: isDefault, ...given }) {
      const { http } = await context.client();
      const params = { path: { nodeId } };
      const { ledgerId, properties } = await answer(http.GET('/v1/admin/nodes/{nodeId}', { params }));
      const ledger = { path: { ledgerId } };
      const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params: ledger }));
      const changed = await readProperties(context, technology, 'nodeProperties', given);
      const body = {
        properties: { ...properties, ...changed },
        ...defined({ uri: url }),
        ...(isDefault && { default: true }),
      };
      const node = await answer(http.PUT('/v1/admin/nodes/{nodeId}', { params, body }));
      context.output.said(`Changed ${nodeId}.`, node);
    },
  }),
  command({
    name: 'node remove',
    about: 'Removes a node from its ledger.',
    arguments: nodeId,
    async run({ client, output }, path) {
      await (await client()).http.DELETE('/v1/admin/nodes/{nodeId}', { params: { path } });
      output.said(`Removed ${path.nodeId}.`, path);
    },
  }),
];

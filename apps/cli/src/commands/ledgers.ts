import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { propertyOptions, readProperties } from './properties.ts';
import { limit, taken } from './taken.ts';

const ledgerId = { ledgerId: { about: 'Id of the ledger.' } } as const;
const nodeId = { nodeId: { about: 'Id of the node, as ledger-ops node list shows it.' } } as const;

export const ledgers = [
  command({
    name: 'ledger list',
    about: 'Lists the ledgers that are switched on.',
    options: {
      ...limit,
      project: { value: 'project', about: 'Of this project; else of the application’s.' },
    },
    async run({ client, output, terminal }, { limit: most, project }) {
      const query = project === undefined ? {} : { projectId: project };
      const list = (await client()).each('/v1/admin/ledgers', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          ledger: (one) => one.ledgerId,
          technology: (one) => one.technology,
          name: (one) => one.name,
          project: (one) => one.projectId,
        },
        'There is no ledger: ledger-ops ledger add <ledger> --technology <technology> --node <url>',
      );
    },
  }),
  command({
    name: 'ledger show',
    about: 'Shows a ledger with its properties; secret ones are left out.',
    arguments: ledgerId,
    async run({ client, output }, { ledgerId: id }) {
      const params = { path: { ledgerId: id } };
      output.record(await answer((await client()).http.GET('/v1/admin/ledgers/{ledgerId}', { params })));
    },
  }),
  command({
    name: 'ledger add',
    about: 'Makes a ledger known, with its nodes.',
    more: 'ledger-ops ledger add main --technology ethereum --node https://node.example --set chain_id=1',
    arguments: { ledgerId: { about: 'Its id.' } },
    options: {
      technology: {
        value: 'technology',
        form: 'required',
        about: 'As ledger-ops ledger technologies lists it.',
      },
      node: { value: 'url', form: 'list', about: 'URL of a node; may be repeated.' },
      ...propertyOptions,
      name: { value: 'text', about: 'For people; else its id.' },
      project: { value: 'project', about: 'Whose it is; else of the application.' },
    },
    async run(context, { ledgerId: id, technology, node, name, project, ...given }) {
      const { client, output } = context;
      const body = {
        ...{ ledgerId: id, name: name ?? id, technology, nodes: node.map((uri) => ({ uri })) },
        properties: await readProperties(context, technology, 'ledgerProperties', given),
        ...(project !== undefined && { projectId: project }),
      };
      const ledger = await answer((await client()).http.POST('/v1/admin/ledgers', { body }));
      output.said(`${id} is known. ledger-ops wallet create <wallet> --ledger ${id}`, ledger);
    },
  }),
  command({
    name: 'ledger change',
    about: 'Changes properties of a ledger, or its name; all else of it stays.',
    arguments: ledgerId,
    options: { ...propertyOptions, name: { value: 'text', about: 'For people.' } },
    async run(context, { ledgerId: id, name, ...given }) {
      const { http } = await context.client();
      const params = { path: { ledgerId: id } };
      const { technology, properties } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
      const changed = await readProperties(context, technology, 'ledgerProperties', given);
      // A secret is answered as null, and put back as null it stays.
      const body = { properties: { ...properties, ...changed }, ...(name !== undefined && { name }) };
      const ledger = await answer(http.PUT('/v1/admin/ledgers/{ledgerId}', { params, body }));
      context.output.said(`${id} is changed, for operations from now on.`, ledger);
    },
  }),
  command({
    name: 'ledger remove',
    about: 'Removes a ledger with its nodes; refused while anything depends on it.',
    arguments: ledgerId,
    async run({ client, output }, { ledgerId: id }) {
      await (await client()).http.DELETE('/v1/admin/ledgers/{ledgerId}', {
        params: { path: { ledgerId: id } },
      });
      output.said(`${id} is removed.`, { ledgerId: id });
    },
  }),
  command({
    name: 'ledger technologies',
    about: 'Lists the kinds of ledgers that this installation can serve.',
    async run({ client, output }) {
      const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
      output.table(
        technologies,
        { technology: (one) => one.name, title: (one) => one.title },
        'There is none.',
      );
    },
  }),
  command({
    name: 'node list',
    about: 'Lists the nodes of a ledger.',
    arguments: ledgerId,
    options: limit,
    async run({ client, output, terminal }, { ledgerId: id, limit: most }) {
      const list = (await client()).each('/v1/admin/nodes', {
        ...{ query: { ledgerId: id }, signal: terminal.signal },
      });
      output.table(
        await taken(list, most),
        { node: (one) => one.nodeId, name: (one) => one.name, url: (one) => one.uri },
        `There is no node: ledger-ops node add ${id} <url>`,
      );
    },
  }),
  command({
    name: 'node add',
    about: 'Adds a node to a ledger.',
    arguments: { ...ledgerId, url: { about: 'Its URL.' } },
    options: {
      id: { value: 'id', about: 'Its id; else one is made.' },
      default: { about: 'It is asked first from now on.' },
      ...propertyOptions,
    },
    async run(context, { ledgerId: id, url, id: nodeId, default: isDefault, ...given }) {
      const { http } = await context.client();
      const params = { path: { ledgerId: id } };
      const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
      const body = {
        ...{ ledgerId: id, uri: url, default: isDefault },
        properties: await readProperties(context, technology, 'nodeProperties', given),
        ...(nodeId !== undefined && { nodeId }),
      };
      const made = await answer(http.POST('/v1/admin/nodes', { body }));
      context.output.said(`${made.nodeId} is a node of ${id}.`, made);
    },
  }),
  command({
    name: 'node change',
    about: 'Changes the URL or properties of a node; all else of it stays.',
    arguments: nodeId,
    options: {
      url: { value: 'url', about: 'Where it is now.' },
      default: { about: 'It is asked first from now on.' },
      ...propertyOptions,
    },
    async run(context, { nodeId: id, url, default: isDefault, ...given }) {
      const { http } = await context.client();
      const params = { path: { nodeId: id } };
      const { ledgerId, properties } = await answer(http.GET('/v1/admin/nodes/{nodeId}', { params }));
      const ledger = { path: { ledgerId } };
      const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params: ledger }));
      const changed = await readProperties(context, technology, 'nodeProperties', given);
      const body = {
        properties: { ...properties, ...changed },
        ...(url !== undefined && { uri: url }),
        ...(isDefault && { default: true }),
      };
      const node = await answer(http.PUT('/v1/admin/nodes/{nodeId}', { params, body }));
      context.output.said(`${id} is changed.`, node);
    },
  }),
  command({
    name: 'node remove',
    about: 'Removes a node from its ledger.',
    arguments: nodeId,
    async run({ client, output }, { nodeId: id }) {
      await (await client()).http.DELETE('/v1/admin/nodes/{nodeId}', { params: { path: { nodeId: id } } });
      output.said(`${id} is removed.`, { nodeId: id });
    },
  }),
];

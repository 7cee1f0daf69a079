import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';
import type { PluginOptions } from '../arguments.ts';
import type { Caller } from '../caller.ts';
import { devIds } from '../credentials.ts';
import { found } from '../seed.ts';
import { namingOptions, propertiesOf } from './given-properties.ts';
import type { PluginTarget } from './target.ts';

const recordSchema = z.object({ id: z.string(), tags: z.array(z.string()) });
const pageSchema = z.object({ pageContent: z.array(recordSchema) });

/** A technology in the response of `GET /v1/technologies`. */
const technologySchema = z.object({
  name: z.string(),
  title: z.string(),
  addresses: z.object({ contract: z.object({ example: z.string() }).optional() }).nullable(),
  content: z.object({ schema: z.unknown(), currentVersion: z.string() }).nullable(),
  ledgerProperties: z.unknown(),
  nodeProperties: z.unknown(),
  walletParameters: z.unknown(),
  plugins: z.array(
    z.object({
      id: z.string(),
      version: z.string(),
      capabilities: z.object({ operations: z.array(z.string()) }),
    }),
  ),
});
const technologiesSchema = z.object({
  technologies: z.array(technologySchema),
  ledgerProperties: z.unknown(),
  remoteLedgerProperties: z.unknown(),
});

/** The technology of a plugin, with the plugin's capabilities. */
export type PluginTechnology = Omit<z.output<typeof technologySchema>, 'plugins'> &
  z.output<typeof technologySchema>['plugins'][number] & {
    /** Schema of the properties that every ledger of the plugin has, in addition to those of the technology. */
    commonLedgerProperties: unknown;
  };

/** Tag that identifies the plugin's record. The plugin's ledger selects the plugin by this tag. */
const tagOf = ({ name }: PluginTarget) => `dev ${name}`.slice(0, 64);

/**
 * Registers the plugin or reloads it, and reads its description.
 * @throws CallError with the reason if its module is refused
 */
export async function registerPlugin(caller: Caller, target: PluginTarget): Promise<PluginTechnology> {
  const tag = tagOf(target);
  const list = `/v1/plugins?project=${devIds.project}&tags=${encodeURIComponent(tag)}`;
  const { pageContent } = pageSchema.parse(await caller.call('GET', list));
  const [former] = pageContent;
  const { name, url } = target;
  const change = async (id: string, members: object) =>
    await caller.call('PUT', `/v1/plugins/${id}`, { name, url, ...members });
  const register = async () => {
    if (former === undefined)
      return await caller.call('POST', '/v1/plugins', {
        ...{ name, url, projectId: devIds.project, tags: [tag] },
      });
    // Reactivating an unchanged record reloads it.
    await change(former.id, { active: false });
    return await change(former.id, { active: true, integrity: null });
  };
  const { id, tags } = recordSchema.parse(await register());
  const answer = technologiesSchema.parse(await caller.call('GET', '/v1/technologies'));
  for (const { plugins, ...technology } of answer.technologies) {
    const own = plugins.find((plugin) => plugin.id === id);
    if (own === undefined) continue;
    if (!tags.includes(technology.name)) {
      await caller.call('POST', `/v1/plugins/${id}/tags`, { tags: [technology.name] });
    }
    const isRemote = target.module === undefined;
    const commonLedgerProperties = isRemote ? answer.remoteLedgerProperties : answer.ledgerProperties;
    return { ...technology, ...own, commonLedgerProperties };
  }
  throw new ConfigError(`The plugin ${name} is not responding: ${await healthOf(caller, id)}`);
}

const healthSchema = z.object({
  health: z.object({ lastError: z.object({ detail: z.string() }).nullable() }),
});

async function healthOf(caller: Caller, id: string): Promise<string> {
  const { health } = healthSchema.parse(await caller.call('GET', `/v1/plugins/${id}`));
  return health.lastError?.detail ?? 'it has not reported an error.';
}

/**
 * Creates or updates the plugin's ledger and node, with the given properties and the examples of the description.
 * @throws ConfigError that names the option of a missing or invalid property
 */
export async function ensurePluginLedger(
  caller: Caller,
  target: PluginTarget,
  technology: PluginTechnology,
  ledgerId: string,
  options: Pick<PluginOptions, 'node' | 'properties' | 'nodeProperties'>,
): Promise<void> {
  const { ledgerProperties, commonLedgerProperties } = technology;
  if (options.properties.given.has('plugin_tags')) {
    throw new ConfigError(
      'The property plugin_tags cannot be set: the development server sets it to select the plugin.',
    );
  }
  const properties = {
    // A remote plugin follows its ledger itself, so the property `development` would have no effect.
    ...(target.module === undefined ? {} : { development: true }),
    polling_interval: 50,
    ...propertiesOf(options.properties, 'ledgerProperties', ledgerProperties, commonLedgerProperties),
    plugin_tags: [tagOf(target)],
  };
  const nodeId = `${ledgerId}-node`;
  const node =
    options.node === undefined
      ? undefined
      : {
          ...{ name: 'node', uri: options.node },
          properties: propertiesOf(options.nodeProperties, 'nodeProperties', technology.nodeProperties),
        };
  const [ledgers, nodes] = ['/v1/admin/ledgers', '/v1/admin/nodes'];
  const given = { ledger: options.properties, node: options.nodeProperties };
  if (!(await found(caller.call('GET', `${ledgers}/${ledgerId}`)))) {
    const ledger = {
      ...{ ledgerId, name: technology.title, technology: technology.name, projectId: devIds.project },
      properties,
      ...(node !== undefined && { nodes: [{ nodeId, ...node }] }),
    };
    await namingOptions(given, async () => await caller.call('POST', ledgers, ledger));
    return;
  }
  await namingOptions(given, async () => await caller.call('PUT', `${ledgers}/${ledgerId}`, { properties }));
  if (node === undefined) return;
  const isNode = await found(caller.call('GET', `${nodes}/${nodeId}`));
  await namingOptions({ node: options.nodeProperties }, async () =>
    isNode
      ? await caller.call('PUT', `${nodes}/${nodeId}`, node)
      : await caller.call('POST', nodes, { ledgerId, nodeId, ...node }),
  );
}

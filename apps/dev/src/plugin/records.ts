import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { devIds } from '../ground.ts';
import { found } from '../seed.ts';
import { exampleOf } from './examples.ts';
import type { PluginTarget } from './target.ts';

const recordSchema = z.object({ id: z.string(), tags: z.array(z.string()) });
const pageSchema = z.object({ pageContent: z.array(recordSchema) });

/** A technology as `GET /v1/technologies` tells of it. */
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
const technologiesSchema = z.object({ technologies: z.array(technologySchema) });

/** The technology of a plugin, with what that plugin can do. */
export type PluginTechnology = Omit<z.output<typeof technologySchema>, 'plugins'> &
  z.output<typeof technologySchema>['plugins'][number];

/** Tag by which the record of a plugin is found again, and its ledger finds it. */
const tagOf = ({ name }: PluginTarget) => `dev ${name}`.slice(0, 64);

/**
 * Registers the plugin, or loads it anew, and asks what it is.
 * @throws CallError with the reason when its module is refused
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
      return await caller.call('POST', '/v1/plugins', { name, url, projectId: devIds.project, tags: [tag] });
    // A record without a change is loaded anew when it comes back.
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
    return { ...technology, ...own };
  }
  throw new ConfigError(`The plugin ${name} does not answer: ${await healthOf(caller, id)}`);
}

const healthSchema = z.object({
  health: z.object({ lastError: z.object({ detail: z.string() }).nullable() }),
});

async function healthOf(caller: Caller, id: string): Promise<string> {
  const { health } = healthSchema.parse(await caller.call('GET', `/v1/plugins/${id}`));
  return health.lastError?.detail ?? 'it has said nothing yet.';
}

/** The ledger of the plugin, made by the description's examples, with its node. */
export async function ensurePluginLedger(
  caller: Caller,
  target: PluginTarget,
  technology: PluginTechnology,
  ledgerId: string,
  node: string | undefined,
): Promise<void> {
  const properties = {
    ...exampleOf(technology.ledgerProperties, 'ledgerProperties'),
    ...{ plugin_tags: [tagOf(target)], development: true, polling_interval: 50 },
  };
  const ledgers = '/v1/admin/ledgers';
  if (await found(caller.call('GET', `${ledgers}/${ledgerId}`))) {
    await caller.call('PUT', `${ledgers}/${ledgerId}`, { properties });
  } else {
    await caller.call('POST', ledgers, {
      ...{ ledgerId, name: technology.title, technology: technology.name, projectId: devIds.project },
      properties,
    });
  }
  if (node === undefined) return;
  const nodes = '/v1/admin/nodes';
  const nodeId = `${ledgerId}-node`;
  const record = {
    ...{ name: 'node', uri: node },
    properties: exampleOf(technology.nodeProperties, 'nodeProperties'),
  };
  if (await found(caller.call('GET', `${nodes}/${nodeId}`))) {
    await caller.call('PUT', `${nodes}/${nodeId}`, record);
  } else {
    await caller.call('POST', nodes, { ledgerId, nodeId, ...record });
  }
}

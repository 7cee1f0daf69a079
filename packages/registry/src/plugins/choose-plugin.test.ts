import { expect, it } from 'vitest';
import { choosePlugin, ledgerTags, weighPlugins } from './choose-plugin.ts';
import type { PluginRecord } from './types.ts';

let created = 0;
function plugin(pluginId: string, change: Partial<PluginRecord> = {}): PluginRecord {
  created += 1;
  return {
    uid: `uid-${pluginId}`,
    id: created,
    pluginId,
    projectUid: null,
    organizationUid: null,
    name: pluginId,
    url: 'npm:x',
    active: true,
    pluginType: 'BLOCKCHAIN_PLUGIN',
    implementationVersion: '0.1.0',
    version: null,
    integrity: null,
    ledgers: null,
    credentials: null,
    tags: ['ethereum'],
    moduleRevision: 0,
    revision: 1,
    ...change,
  };
}
const ledger = { ledgerId: 'main', technology: 'ethereum' as const, properties: {} };
const fast = { ...ledger, properties: { plugin_tags: ['fast', 'private'] } };
const choose = (plugins: PluginRecord[], on: typeof ledger = ledger, id?: string) =>
  choosePlugin(plugins, on, 'p', id).pluginId;

it.each<[string, PluginRecord[], string]>([
  ['the only plugin', [plugin('a')], 'a'],
  [
    'a plugin of the project instead of a plugin of another project',
    [plugin('x', { projectUid: 'q' }), plugin('a', { projectUid: 'p' })],
    'a',
  ],
  ['an active instead of an inactive plugin', [plugin('x', { active: false }), plugin('a')], 'a'],
  [
    'a plugin for the technology of the ledger',
    [plugin('x', { tags: ['hyperledger-fabric'] }), plugin('a')],
    'a',
  ],
  [
    'the highest interface version, by semantic version, not alphabetically',
    [plugin('x', { implementationVersion: '0.9.0' }), plugin('a', { implementationVersion: '0.10.0' })],
    'a',
  ],
  [
    'the release of an interface version instead of its pre-release',
    [plugin('x', { implementationVersion: '1.0.0-rc.1' }), plugin('a', { implementationVersion: '1.0.0' })],
    'a',
  ],
  [
    'the newest plugin for an interface version by semantic version, not alphabetically',
    [plugin('x', { version: '9.0.0' }), plugin('a', { version: '10.0.0' })],
    'a',
  ],
  [
    'the release of a plugin instead of its pre-release',
    [plugin('x', { version: '2.0.0-rc.1' }), plugin('a', { version: '2.0.0' })],
    'a',
  ],
  [
    'a plugin with a known version instead of an unknown version',
    [plugin('x'), plugin('a', { version: '0.0.1-alpha' })],
    'a',
  ],
  [
    'a higher interface version instead of a higher plugin version',
    [plugin('x', { version: '9.0.0' }), plugin('a', { implementationVersion: '0.1.1', version: '1.0.0' })],
    'a',
  ],
  [
    'a higher plugin version instead of more tags',
    [plugin('x', { version: '1.0.0', tags: ['ethereum', 'more'] }), plugin('a', { version: '1.1.0' })],
    'a',
  ],
  [
    'the oldest plugin if versions differ only in build metadata',
    [plugin('a', { version: '1.0.0+1' }), plugin('x', { version: '1.0.0+2' })],
    'a',
  ],
  ['the plugin with the most tags', [plugin('x'), plugin('a', { tags: ['ethereum', 'more'] })], 'a'],
  [
    'a higher interface version instead of more tags',
    [plugin('x', { tags: ['ethereum', 'more'] }), plugin('a', { implementationVersion: '0.2.0' })],
    'a',
  ],
  ['the oldest of equal plugins', [plugin('a'), plugin('x')], 'a'],
  ['the oldest of equal plugins, regardless of their order', [plugin('a'), plugin('x')].toReversed(), 'a'],
])('a ledger chooses %s', (_, plugins, expected) => {
  expect(choose(plugins)).toBe(expected);
});

it("chooses only a plugin with the ledger's technology and all of its tags", () => {
  const some = plugin('some', { tags: ['ethereum', 'fast'] });
  const every = plugin('all', { tags: ['private', 'ethereum', 'fast'] });
  expect(choose([some, every], fast)).toBe('all');
  expect(() => choose([some, plugin('x', { tags: ['fast', 'private'] })], fast)).toThrow(
    '"ethereum", "fast", "private"',
  );
  expect(ledgerTags({ technology: 'ethereum', properties: { plugin_tags: ['ethereum'] } })).toEqual([
    'ethereum',
  ]);
});

it('uses an explicitly named plugin if it is active and available', () => {
  const a = plugin('a', { implementationVersion: '9.0.0' });
  const b = plugin('b', { tags: [] });
  expect(choose([a, b], ledger, 'b')).toBe('b');
  expect(choose([a, b], ledger, '')).toBe('a');
  expect(() => choose([a, plugin('c', { active: false })], ledger, 'c')).toThrow('plugin c');
  expect(() => choose([a, plugin('d', { projectUid: 'q' })], ledger, 'd')).toThrow('plugin d');
  const own = plugin('a', { projectUid: 'p' });
  expect(choosePlugin([a, own], ledger, 'p', 'a')).toBe(own);
});

it('if a plugin of the technology lacks only tags, the error names the plugin and these tags', () => {
  const some = plugin('some', { tags: ['ethereum', 'fast'] });
  const others = [plugin('a'), plugin('off', { tags: ['ethereum', 'fast', 'private'], active: false })];
  expect(() => choose([...others, some], fast)).toThrow(
    'No active plugin of this project has all tags that the ledger main requires: "ethereum", "fast", "private". The plugin some lacks the tag "private". Add it there, or change plugin_tags of the ledger.',
  );
  expect(() => choose([plugin('a')], fast)).toThrow(
    'The plugin a lacks the tags "fast", "private". Add them',
  );
});

it('the error names the required tags if no plugin has all of them', () => {
  expect(() => choose([])).toThrow('the tag "ethereum" that the ledger main requires');
});

it('lists matching plugins first, and reports for each plugin why it was not chosen', () => {
  const [old, best, more] = [
    plugin('old'),
    plugin('best', { implementationVersion: '0.1.2', tags: ['ethereum', 'x'] }),
    plugin('more', { implementationVersion: '0.1.2' }),
  ];
  const others = [
    plugin('off', { active: false }),
    plugin('other', { tags: ['x'] }),
    plugin('foreign', { projectUid: 'q' }),
  ];
  const weighed = weighPlugins([old, ...others, more, best], ledger, 'p');
  expect(weighed.map(({ plugin: { pluginId }, why }) => [pluginId, why])).toEqual([
    ['best', null],
    ['more', 'best has more tags.'],
    ['old', 'best implements a newer version of the adapter interface: 0.1.2 instead of 0.1.0.'],
    ['off', 'The plugin is not active.'],
    ['other', 'The plugin does not have the tag "ethereum", which the ledger requires.'],
  ]);
});

it("explains that a plugin is not chosen because another plugin is newer, or because the plugin's version is unknown", () => {
  const plugins = [
    plugin('unknown'),
    plugin('old', { version: '1.2.0' }),
    plugin('new', { version: '1.10.0' }),
  ];
  const weighed = weighPlugins(plugins, ledger, 'p');
  expect(weighed.map(({ plugin: { pluginId }, why }) => [pluginId, why])).toEqual([
    ['new', null],
    ['old', 'new has a newer version: 1.10.0 instead of 1.2.0.'],
    ['unknown', 'new has version 1.10.0; the version of this plugin is unknown.'],
  ]);
});

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
    integrity: null,
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
  ['the only one', [plugin('a')], 'a'],
  [
    "one of the project, not another's",
    [plugin('x', { projectUid: 'q' }), plugin('a', { projectUid: 'p' })],
    'a',
  ],
  ['an active one', [plugin('x', { active: false }), plugin('a')], 'a'],
  ['one of the technology', [plugin('x', { tags: ['hyperledger-fabric'] }), plugin('a')], 'a'],
  [
    'the highest version, by semver and not by text',
    [plugin('x', { implementationVersion: '0.9.0' }), plugin('a', { implementationVersion: '0.10.0' })],
    'a',
  ],
  [
    'a release before its pre-release',
    [plugin('x', { implementationVersion: '1.0.0-rc.1' }), plugin('a', { implementationVersion: '1.0.0' })],
    'a',
  ],
  ['the one with most tags', [plugin('x'), plugin('a', { tags: ['ethereum', 'more'] })], 'a'],
  [
    'the version before the tags',
    [plugin('x', { tags: ['ethereum', 'more'] }), plugin('a', { implementationVersion: '0.2.0' })],
    'a',
  ],
  ['the oldest of equals', [plugin('a'), plugin('x')], 'a'],
  ['the oldest of equals, in whatever order they come', [plugin('a'), plugin('x')].toReversed(), 'a'],
])('chooses %s', (_, plugins, expected) => {
  expect(choose(plugins)).toBe(expected);
});

it('asks for the technology and for every tag of the ledger', () => {
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

it('lets an explicit id win, if it is active and usable', () => {
  const a = plugin('a', { implementationVersion: '9.0.0' });
  const b = plugin('b', { tags: [] });
  expect(choose([a, b], ledger, 'b')).toBe('b');
  expect(choose([a, b], ledger, '')).toBe('a');
  expect(() => choose([a, plugin('c', { active: false })], ledger, 'c')).toThrow('plugin c');
  expect(() => choose([a, plugin('d', { projectUid: 'q' })], ledger, 'd')).toThrow('plugin d');
  const own = plugin('a', { projectUid: 'p' });
  expect(choosePlugin([a, own], ledger, 'p', 'a')).toBe(own);
});

it('says which tags nobody had', () => {
  expect(() => choose([])).toThrow('the tag "ethereum", which the ledger main asks for');
});

it('says why each of the others is not the one, those that fit first', () => {
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
    ['old', 'best has a higher implementation version: 0.1.2, not 0.1.0.'],
    ['off', 'It is not active.'],
    ['other', 'It lacks the tag "ethereum", which the ledger asks for.'],
  ]);
});

import { expect, it } from 'vitest';
import { demandTechnology } from './technologies.ts';

const known = new Map(['ethereum', 'toy'].map((title) => [title, { title }]));
const technologies = { describe: async () => null, known: async () => known };

it.each([
  [
    'a plugin of the technology lacks its tag',
    'toy',
    [],
    'a plugin supports the technology toy, but no active plugin of this project has the tag "toy". Add the tag to the plugin',
  ],
  [
    'no plugin has all tags',
    'toy',
    ['fast'],
    'no active plugin of this project has the tags "toy", "fast". Add the tags to a plugin, or change the ledger\'s plugin_tags',
  ],
  [
    'no plugin supports the technology',
    'none',
    ['fast'],
    'no active plugin supports the technology none; supported are ethereum, toy. Register a plugin for it',
  ],
])('if %s, the problem names the cause and the remedy', async (_, technology, tags, detail) => {
  const error = await demandTechnology(technologies, technology, 'p', '/technology', tags).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ problem: 'no-plugin', errors: [{ pointer: '/technology', detail }] });
});

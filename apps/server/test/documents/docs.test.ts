import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultPoints } from '@ledger-ops/runtime';
import { expect, test } from 'vitest';
import { docsTables } from '../../scripts/docs-text.ts';
import { settings } from '../../src/settings/settings.ts';
import { withSettings } from '../../src/settings/table-text.ts';
import { version } from '../../src/version.ts';
import { makeServer, openGround } from '../stage/harness.ts';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
/** The formatter aligns tables; alignment is not a difference. */
const plain = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---');

test('pages of the documentation include every generated part once', async () => {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  const included = globSync('*.md', { cwd: docs })
    .flatMap((name) => [
      ...readFileSync(join(docs, name), 'utf8').matchAll(/<!--@include: \.\/tables\/(.+)\.md-->/g),
    ])
    .map(([, part]) => part);
  expect(included.toSorted()).toEqual([...Object.keys(docsTables(routes)), 'cli'].toSorted());
});

test('docs/incidents.md has steps for every alert', () => {
  const [, section = ''] = read('../../../../docs/incidents.md').split(/^## /m);
  const steps = [...section.matchAll(/^### (\w+)\n\n_(?:critical|warning)\._ .+\n\n1\. /gm)];
  const alerts = read('../../../../deploy/prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g);
  expect(steps.map(([, name]) => name).toSorted()).toEqual([...alerts].map(([, name]) => name).toSorted());
});

test('docs/exactly-once.md lists every point at which a test kills a server', () => {
  const rows = read('../../../../docs/exactly-once.md').matchAll(/^\| `(\w+:[\w-]+)` \|/gm);
  expect([...rows].map(([, point]) => point)).toEqual([...faultPoints]);
});

test('docs/plugins.md shows that the URL of a module names its built file, not its folder', () => {
  const [row = ''] = /^\| `url` \|.+$/m.exec(read('../../../../docs/plugins.md')) ?? [];
  expect(row).toMatch(/such as `file:\/[^` ]+\.js`/);
});

test('the README lists the settings', () => {
  const readme = read('../../README.md');
  expect(plain(readme), 'run `pnpm --filter @ledger-ops/server run readme`').toBe(
    plain(withSettings(readme, settings)),
  );
});

test('the version that the server displays is the version in its package.json', () => {
  expect(JSON.parse(read('../../package.json'))).toMatchObject({ version });
});

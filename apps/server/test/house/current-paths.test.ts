import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentOf } from '../stage/document-of-routes.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Texts that explain the service to users, except decisions and pages about deprecated operations. */
const shown = globSync(
  [
    '{apps/{cli,console,dev}/src,bench,deploy,examples,packages/create-plugin/templates}/**/*.{js,md,mjs,sh,ts,tsx,yaml}',
    ...['*.md', '{apps,packages}/*/README.md', 'docs/*.md', 'docs/guide/*.md'],
  ],
  { cwd: root, exclude: ['**/{node_modules,dist}/**'] },
);

test('the tools, examples and docs use no deprecated operations', async () => {
  const { paths } = await documentOf();
  const older = Object.entries(paths)
    .filter(([, item]) => Object.values(item).some((one) => one.deprecated === true))
    .map(([path]) => path.split('/')[2]);
  const used = new RegExp(`/v1/(?:${[...new Set(older)].join('|')})(?![\\w-]).*`, 'g');
  const uses = (text: string) => text.match(used) ?? [];
  expect(uses('`POST /v1/ledgers`, then /v1/ledger-ops/send')).toHaveLength(1);
  expect(uses('/v1/admin/ledgers /v1/ledger-ops/send /v1/contract-templates')).toEqual([]);
  expect(shown.length).toBeGreaterThan(100);
  expect(
    shown.flatMap((file) => uses(readFileSync(`${root}/${file}`, 'utf8')).map((use) => `${file}: ${use}`)),
  ).toEqual([]);
});

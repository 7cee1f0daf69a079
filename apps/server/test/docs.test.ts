import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { permissionsPage, problemsPage } from '../scripts/docs-text.ts';
import { guideModule, scriptModule } from '../scripts/reference-text.ts';
import { settings } from '../src/settings/settings.ts';
import { withSettings } from '../src/settings/table-text.ts';
import { version } from '../src/version.ts';
import { makeServer, openGround } from './harness.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
/** The formatter aligns tables; that is not drift. */
const plain = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---');
const regenerate = 'run `pnpm --filter @ledger-ops/server generate`';

test('docs/problems.md lists the catalogue as it is', () => {
  expect(plain(read('../../../docs/problems.md')), regenerate).toBe(plain(problemsPage()));
});

test('docs/permissions.md says what every operation needs, and which role grants it', async () => {
  const ground = await openGround();
  const page = permissionsPage(makeServer(ground).routes);
  await ground.close();
  expect(plain(read('../../../docs/permissions.md')), regenerate).toBe(plain(page));
});

test('the reference shows the guide as it is written, and runs its script as it is written', () => {
  expect(read('../src/reference/guide.generated.ts'), regenerate).toBe(guideModule());
  expect(read('../src/reference/script.generated.ts'), regenerate).toBe(scriptModule());
});

test('the README lists the settings as they are', () => {
  const readme = read('../README.md');
  expect(plain(readme), regenerate).toBe(plain(withSettings(readme, settings)));
});

test('the version shown is that of the package', () => {
  expect(JSON.parse(read('../package.json'))).toMatchObject({ version });
});

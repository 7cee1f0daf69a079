import { readFileSync } from 'node:fs';
import { faultPoints } from '@ledger-ops/runtime';
import { expect, test } from 'vitest';
import { migrationPage, permissionsPage, problemsPage } from '../../scripts/docs-text.ts';
import { alertSteps } from '../../scripts/incident-steps.ts';
import { incidentsPage } from '../../scripts/incidents-text.ts';
import { guideModule, scriptModule } from '../../scripts/reference-text.ts';
import { settings } from '../../src/settings/settings.ts';
import { withSettings } from '../../src/settings/table-text.ts';
import { version } from '../../src/version.ts';
import { makeServer, openGround } from '../stage/harness.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
/** The formatter aligns tables; that is not drift. */
const plain = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---');
const regenerate = 'run `pnpm --filter @ledger-ops/server generate`';

test('docs/problems.md lists the catalogue as it is', () => {
  expect(plain(read('../../../../docs/problems.md')), regenerate).toBe(plain(problemsPage()));
});

test('what every operation needs, and what stands in the place of deprecated ones, is as the routes say', async () => {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  expect(plain(read('../../../../docs/permissions.md')), regenerate).toBe(plain(permissionsPage(routes)));
  expect(plain(read('../../../../docs/migration.md')), regenerate).toBe(plain(migrationPage(routes)));
});

test('docs/incidents.md says what to do about every alert, every pending reason and every failure', () => {
  expect(plain(read('../../../../docs/incidents.md')), regenerate).toBe(plain(incidentsPage()));
  const alerts = read('../../../../deploy/prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g);
  expect(Object.keys(alertSteps).toSorted()).toEqual([...alerts].map(([, name]) => name).toSorted());
});

test('docs/exactly-once.md has every point at which a test ends a server', () => {
  const rows = read('../../../../docs/exactly-once.md').matchAll(/^\| `(\w+:[\w-]+)` \|/gm);
  expect([...rows].map(([, point]) => point)).toEqual([...faultPoints]);
});

test('the reference shows the guide as it is written, and runs its script as it is written', () => {
  expect(read('../../src/reference/guide.generated.ts'), regenerate).toBe(guideModule());
  expect(read('../../src/reference/script.generated.ts'), regenerate).toBe(scriptModule());
});

test('the README lists the settings as they are', () => {
  const readme = read('../../README.md');
  expect(plain(readme), regenerate).toBe(plain(withSettings(readme, settings)));
});

test('the version shown is that of the package', () => {
  expect(JSON.parse(read('../../package.json'))).toMatchObject({ version });
});

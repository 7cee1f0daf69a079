import { readdirSync, readFileSync } from 'node:fs';
import { faultPoints } from '@ledger-ops/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrationPage, permissionsPage, problemsPage } from '../../scripts/docs-text.ts';
import { httpPages } from '../../scripts/http-text.ts';
import { alertSteps } from '../../scripts/incident-steps.ts';
import { incidentsPage } from '../../scripts/incidents-text.ts';
import { guideModule, scriptModule } from '../../scripts/reference-text.ts';
import type { Route } from '../../src/http/route.ts';
import { buildDocument } from '../../src/openapi/openapi.ts';
import { settings } from '../../src/settings/settings.ts';
import { withSettings } from '../../src/settings/table-text.ts';
import { version } from '../../src/version.ts';
import { operationsOf, type ServedDocument } from '../stage/document-walk.ts';
import { defaultSettings, makeServer, openGround } from '../stage/harness.ts';

const docs = (name: string) => new URL(`../../../../docs/${name}`, import.meta.url);
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

describe('the HTTP reference', () => {
  let pages: ReadonlyMap<string, string>;
  let routes: readonly Route[];
  let document: ServedDocument;
  beforeAll(async () => {
    const ground = await openGround();
    routes = makeServer(ground).routes;
    await ground.close();
    const made = await buildDocument(routes, defaultSettings);
    pages = httpPages(made, routes);
    // Its shape is what the tests of the document check.
    document = JSON.parse(JSON.stringify(made)) as ServedDocument;
  });

  test('is as the document says, and has no page that is not made any more', () => {
    const files = ['http.md', ...readdirSync(docs('http')).map((name) => `http/${name}`)];
    expect(files.toSorted()).toEqual([...pages.keys()].toSorted());
    for (const [name, text] of pages)
      expect(readFileSync(docs(name), 'utf8') === text, `${name}: ${regenerate}`).toBe(true);
  });

  test('holds every operation with all that it takes, needs and leads to', () => {
    const faults = operationsOf(document).flatMap(({ name, operation }) => {
      const page = pages.get(`http/${operation.tags?.[0]}.md`) ?? '';
      const section = page.split(/^## /m).find((one) => one.split('\n')[2] === `\`${name}\``) ?? '';
      const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
      const named = document.components.schemas[String(body.$ref).split('/').at(-1) ?? ''] ?? body;
      const needed: readonly unknown[] = Array.isArray(named.required) ? named.required : [];
      const wanted = [
        ...(operation.parameters ?? []).map((one) => `\`${one.name}\``),
        ...Object.keys(Object(named.properties)).map(
          (member) => `| \`${member}\` | ${needed.includes(member) ? '**required** ' : ''}`,
        ),
        ...(operation['x-permission']?.split(' or ') ?? []).map((one) => `\`${one}\``),
        ...Object.keys(operation.responses)
          .filter((status) => status < '400')
          .map((status) => `**Answer ${status}**`),
        ...(operation.deprecated === true ? ['**Deprecated.** '] : []),
        ...(operation['x-successor'] === undefined ? [] : [`${operation['x-successor']}\`.`]),
      ];
      return wanted.filter((one) => !section.includes(String(one))).map((one) => `${name}: ${one}`);
    });
    expect(faults).toEqual([]);
  });

  test('names the problems that an operation can have', () => {
    const listing = pages.get('http.md') ?? '';
    for (const { problems = [], path, service } of routes) {
      const page = pages.get(`http/${service}.md`) ?? '';
      for (const name of problems) expect(page, path).toContain(`\`${name}\``);
    }
    for (const name of ['invalid-request', 'too-many-requests', 'not-found', 'internal'])
      expect(listing).toContain(`| \`${name}\` | every operation`);
  });
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

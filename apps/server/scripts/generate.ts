// Writes docs/http.md and docs/http, problems.md, permissions.md, metrics.md, incidents.md and migration.md, the table of settings in the README,
// what the reference at /docs takes from the guide and from its script, and the types of the client.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { settings } from '../src/settings/settings.ts';
import { withSettings } from '../src/settings/table-text.ts';
import { incidentsPage } from './incidents-text.ts';
import { guideModule, scriptModule } from './reference-text.ts';

const docs = new URL('../../../docs/', import.meta.url);
const client = new URL('../../../packages/client/src/', import.meta.url);
const readme = new URL('../README.md', import.meta.url);
const reference = new URL('../src/reference/', import.meta.url);
// Before what imports them.
writeFileSync(new URL('guide.generated.ts', reference), guideModule());
writeFileSync(new URL('script.generated.ts', reference), scriptModule());
const { defaultSettings, makeServer, openGround } = await import('../test/stage/harness.ts');
const { buildDocument } = await import('../src/openapi/openapi.ts');
const { clientFiles } = await import('./client-files.ts');
const { httpPages } = await import('./http-text.ts');
const { metricsPage, migrationPage, permissionsPage, problemsPage } = await import('./docs-text.ts');
const ground = await openGround();
const { routes } = makeServer(ground);
const document = await buildDocument(routes, defaultSettings);
rmSync(new URL('http', docs), { recursive: true, force: true });
mkdirSync(new URL('http', docs));
for (const [name, text] of httpPages(document, routes)) writeFileSync(new URL(name, docs), text);
writeFileSync(new URL('problems.md', docs), problemsPage());
writeFileSync(new URL('permissions.md', docs), permissionsPage(routes));
writeFileSync(new URL('migration.md', docs), migrationPage(routes));
writeFileSync(new URL('incidents.md', docs), incidentsPage());
writeFileSync(new URL('metrics.md', docs), metricsPage());
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8'), settings));
for (const [name, text] of await clientFiles(document)) {
  writeFileSync(new URL(name, client), text);
}
await ground.close();

// Writes docs/problems.md, docs/permissions.md, docs/metrics.md, the table of settings in the README, and what the
// reference at /docs takes from the guide and from its script.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/settings/settings.ts';
import { withSettings } from '../src/settings/table-text.ts';
import { guideModule, scriptModule } from './reference-text.ts';

const docs = new URL('../../../docs/', import.meta.url);
const readme = new URL('../README.md', import.meta.url);
const reference = new URL('../src/reference/', import.meta.url);
// Before what imports them.
writeFileSync(new URL('guide.generated.ts', reference), guideModule());
writeFileSync(new URL('script.generated.ts', reference), scriptModule());
const { makeServer, openGround } = await import('../test/harness.ts');
const { metricsPage, permissionsPage, problemsPage } = await import('./docs-text.ts');
const ground = await openGround();
writeFileSync(new URL('problems.md', docs), problemsPage());
writeFileSync(new URL('permissions.md', docs), permissionsPage(makeServer(ground).routes));
writeFileSync(new URL('metrics.md', docs), metricsPage());
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8'), settings));
await ground.close();

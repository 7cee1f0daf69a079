// Writes docs/problems.md, docs/permissions.md, docs/metrics.md and the table of settings in the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/settings/settings.ts';
import { withSettings } from '../src/settings/table-text.ts';
import { makeServer, openGround } from '../test/harness.ts';
import { metricsPage, permissionsPage, problemsPage } from './docs-text.ts';

const docs = new URL('../../../docs/', import.meta.url);
const readme = new URL('../README.md', import.meta.url);
const ground = await openGround();
writeFileSync(new URL('problems.md', docs), problemsPage());
writeFileSync(new URL('permissions.md', docs), permissionsPage(makeServer(ground).routes));
writeFileSync(new URL('metrics.md', docs), metricsPage());
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8'), settings));
await ground.close();

// Writes the parts of the documentation site that are generated from the server's code to docs/.generated: parts of
// pages, the pages of /docs and the OpenAPI document.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDocument } from '../src/openapi/openapi.ts';
import { folder } from '../src/reference/frame.ts';
import { referenceFiles } from '../src/reference/pages.ts';
import { defaultSettings, makeServer, openGround } from '../test/stage/harness.ts';
import { docsTables } from './docs-text.ts';

const target = fileURLToPath(new URL('../../../docs/.generated', import.meta.url));
const ground = await openGround();
const { routes } = makeServer(ground);
const document = await buildDocument(routes, defaultSettings);
await ground.close();
rmSync(target, { recursive: true, force: true });
for (const [name, text] of Object.entries(docsTables(routes))) write(`tables/${name}.md`, text);
for (const [path, { make }] of referenceFiles(document, { isServed: false })) {
  const isPage = !/\.\w+$/.test(path);
  write(`public${path === folder ? `${folder}/index` : path}${isPage ? '.html' : ''}`, make());
}
write('public/openapi.json', JSON.stringify(document));

function write(name: string, text: string): void {
  const file = `${target}/${name}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { buildDocument } from '../../src/openapi/openapi.ts';
import type { ServedDocument } from './document-walk.ts';
import { defaultSettings, makeServer, openGround } from './harness.ts';

/** Returns the OpenAPI document of the route table, without a server. The first caller of a test run generates it. */
export async function documentOf(): Promise<ServedDocument> {
  const folder = inject('runFolder');
  const text = folder === undefined ? await makeText() : await sharedText(join(folder, 'document.json'));
  // Tests check the shape of the document.
  return JSON.parse(text) as ServedDocument;
}

async function sharedText(file: string): Promise<string> {
  if (existsSync(file)) return await readFile(file, 'utf8');
  const text = await makeText();
  // Renaming is atomic, so no other process reads an incomplete file.
  const own = `${file}.${process.pid}`;
  await writeFile(own, text);
  await rename(own, file);
  return text;
}

async function makeText(): Promise<string> {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  return JSON.stringify(await buildDocument(routes, defaultSettings));
}

// Writes the types of the client, from the OpenAPI document of this server.
import { writeFileSync } from 'node:fs';
import { buildDocument } from '../src/openapi/openapi.ts';
import { defaultSettings, makeServer, openGround } from '../test/stage/harness.ts';
import { clientFiles } from './client-files.ts';

const client = new URL('../../../packages/client/src/', import.meta.url);
const ground = await openGround();
const document = await buildDocument(makeServer(ground).routes, defaultSettings);
for (const [name, text] of await clientFiles(document)) writeFileSync(new URL(name, client), text);
await ground.close();

import { buildDocument } from '../src/openapi/openapi.ts';
import type { ServedDocument } from './document-walk.ts';
import { defaultSettings, makeServer, openGround } from './harness.ts';

/** The document of the route table as it is, without asking a server for it. */
export async function documentOf(): Promise<ServedDocument> {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  // Its shape is what tests check.
  return JSON.parse(JSON.stringify(buildDocument(routes, defaultSettings))) as ServedDocument;
}

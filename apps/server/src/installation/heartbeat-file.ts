import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';

const schema = z.object({ installationId: z.string(), heartbeat: z.int() });

/** The last heartbeat that a server with this data folder stored in its database. */
export type SeenHeartbeat = z.infer<typeof schema>;

const fileOf = (dataDir: string) => join(dataDir, 'heartbeat.json');

/** Returns undefined if the folder has no heartbeat, because it is new or was not kept. */
export async function readHeartbeat(dataDir: string): Promise<SeenHeartbeat | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(dataDir), 'utf8')));
  } catch {
    // After a power loss, the file may be empty. It is then treated as missing.
    return undefined;
  }
}

/** Writes a heartbeat, which must already be durable in the database. */
export async function writeHeartbeat(dataDir: string, seen: SeenHeartbeat): Promise<void> {
  const file = fileOf(dataDir);
  const written = `${file}.${process.pid}`;
  await writeFile(written, `${JSON.stringify(seen)}\n`, { mode: 0o600 });
  await rename(written, file);
}
